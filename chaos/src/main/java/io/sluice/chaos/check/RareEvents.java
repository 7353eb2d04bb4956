/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.check;

/** How many rare events are still credible. */
final class RareEvents {
    /** A sound run exceeds the bound once in so many. */
    private static final double ONE_IN = 1e9;

    private RareEvents() {}

    /** The least n such that a Poisson variable of this mean exceeds n with probability 1e-9. */
    static long of(double mean) {
        // Log space: the mean may be in the thousands.
        double logTerm = -mean;
        double below = Math.exp(logTerm);
        long n = 0;
        while (1 - below > 1 / ONE_IN && !(n > mean && Math.exp(logTerm) < 1e-3 / ONE_IN)) {
            n++;
            logTerm += Math.log(mean) - Math.log((double) n);
            below += Math.exp(logTerm);
        }
        return n;
    }
}
