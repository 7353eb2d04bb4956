/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

/**
 * How often first occurrences were dropped among those that were watched, with the Wilson score
 * interval (E. B. Wilson 1927, "Probable inference, the law of succession, and statistical
 * inference"): unlike the normal approximation it says something sensible at 0 of n, which is the
 * usual case here.
 *
 * @param firsts watched ids that were first occurrences
 * @param dropped how many of them the filter reported as seen
 */
public record MeasuredError(long firsts, long dropped) {

    /** Two-sided 95 %. */
    public static final double Z_95 = 1.959963984540054;

    /** Nothing measured yet. */
    public static final MeasuredError NONE = new MeasuredError(0, 0);

    public MeasuredError {
        if (firsts < 0 || dropped < 0 || dropped > firsts) {
            throw new IllegalArgumentException(
                    "dropped must be between 0 and firsts, but is " + dropped + " of " + firsts);
        }
    }

    /** Both measurements together. */
    public MeasuredError plus(MeasuredError other) {
        return new MeasuredError(firsts + other.firsts, dropped + other.dropped);
    }

    /** Share of first occurrences that were dropped; NaN while none was watched. */
    public double rate() {
        return firsts == 0 ? Double.NaN : (double) dropped / firsts;
    }

    /**
     * Lower end of the interval, in [0, 1].
     *
     * @param z quantile of the normal distribution, such as {@link #Z_95}
     */
    public double lower(double z) {
        return firsts == 0 || dropped == 0 ? 0 : Math.max(0, center(z) - halfWidth(z));
    }

    /** Upper end of the interval, in [0, 1]; 1 while nothing was watched. */
    public double upper(double z) {
        return firsts == 0 || dropped == firsts ? 1 : Math.min(1, center(z) + halfWidth(z));
    }

    private double center(double z) {
        return (dropped + z * z / 2) / (firsts + z * z);
    }

    private double halfWidth(double z) {
        double n = firsts;
        double variance = dropped * (n - dropped) / n + z * z / 4;
        return z * Math.sqrt(variance) / (n + z * z);
    }
}
