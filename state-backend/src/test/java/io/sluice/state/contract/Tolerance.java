/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

/** Computes how many errors a configured probability allows. */
final class Tolerance {
    private static final double SIGMAS = 5;

    private Tolerance() {}

    /**
     * The most among {@code trials} independent events of the given probability, 5 standard
     * deviations above the mean; 0 for probability 0.
     */
    static long of(long trials, double probability) {
        double mean = trials * probability;
        return (long) Math.ceil(mean + SIGMAS * Math.sqrt(mean * (1 - probability)));
    }
}
