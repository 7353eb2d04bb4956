/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

/**
 * Formulas of a {@link FingerprintTable}. Pure functions.
 *
 * <p>Ids arrive at a line independently: their number is a Poisson variable with mean a, of which
 * at most S (the slots) are stored; the rest go on to other lines, where they add to a. So the ids
 * stored per line are E[min(X, S)], and a line has sent ids on with probability P(X > S).
 */
final class FingerprintModel {

    private FingerprintModel() {}

    /**
     * Probability that an absent id is reported.
     *
     * @param perLine fingerprints in a line, on average
     * @param reached for each line of an id, the probability that a lookup gets there
     */
    static double fpp(double perLine, double[] reached, double fingerprintBits) {
        // A fingerprint of 0 counts as 1.
        double line = -Math.expm1(perLine * Math.log1p(-Math.pow(2, -fingerprintBits)));
        double none = 1;
        for (double share : reached) {
            none *= 1 - share * line;
        }
        return 1 - none;
    }

    /**
     * The same with {@code perLine} ids in each line of {@code slots}; an upper bound, for nearly
     * full lines.
     */
    static double fpp(double perLine, int slots, double fingerprintBits, int maxLines) {
        double full = full(perLine, slots);
        double[] reached = new double[maxLines];
        for (int line = 0; line < maxLines; line++) {
            reached[line] = Math.pow(full, line);
        }
        return fpp(perLine, reached, fingerprintBits);
    }

    /** Share of the lines that sent an id on, when {@code perLine} ids are stored in each. */
    static double full(double perLine, int slots) {
        double low = perLine;
        double high = 4.0 * slots;
        for (int i = 0; i < 60; i++) {
            double arrived = (low + high) / 2;
            if (stored(arrived, slots) < perLine) {
                low = arrived;
            } else {
                high = arrived;
            }
        }
        return more(low, slots);
    }

    /** E[min(X, slots)] of a Poisson variable. */
    private static double stored(double mean, int slots) {
        double p = Math.exp(-mean);
        double below = 0;
        double sum = 0;
        for (int n = 0; n < slots; n++) {
            sum += n * p;
            below += p;
            p *= mean / (n + 1);
        }
        return sum + slots * (1 - below);
    }

    /** P(X > slots) of a Poisson variable. */
    private static double more(double mean, int slots) {
        double p = Math.exp(-mean);
        double atMost = 0;
        for (int n = 0; n <= slots; n++) {
            atMost += p;
            p *= mean / (n + 1);
        }
        return Math.max(0, 1 - atMost);
    }
}
