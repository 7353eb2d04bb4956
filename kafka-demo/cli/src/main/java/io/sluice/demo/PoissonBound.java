/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

/** Computes how many rare events are still credible. */
public final class PoissonBound {
    private PoissonBound() {}

    /**
     * The smallest n such that a Poisson variable with this mean exceeds n with probability at most
     * {@code tail}. With rare events a binomial count is Poisson, up to a relative error of about
     * the probability of one event, and its tail is the lighter one.
     *
     * @param mean not negative
     * @param tail in (0, 1)
     */
    public static long upper(double mean, double tail) {
        if (!(mean >= 0) || !(tail > 0 && tail < 1)) {
            throw new IllegalArgumentException(
                    "mean must not be negative and tail must be in (0, 1), but they are "
                            + mean
                            + " and "
                            + tail);
        }
        // In logarithms, because exp(-mean) is 0 from a mean of 746 on. Terms far below the mean
        // that vanish in the sum do not affect its upper end.
        double sum = 0;
        double log = -mean;
        long n = 0;
        while (true) {
            sum += Math.exp(log);
            if (n >= mean && 1 - sum <= tail) {
                return n;
            }
            // Rounding may keep the sum slightly below 1 for ever; ten standard deviations and a
            // constant above the mean is beyond any tail that rounding can represent.
            if (n > mean + 10 * Math.sqrt(mean) + 100) {
                return n;
            }
            n++;
            log += Math.log(mean) - Math.log((double) n);
        }
    }
}
