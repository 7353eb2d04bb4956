/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

/**
 * Formulas for the probability that a forgetful filter reports an id that it does not hold. Pure
 * functions. Notation as in Subramanyam et al., section 3: every filter has {@code m} positions,
 * {@code k} of them per id; {@code l_i} ids are in filter i. The filters are future, present and N
 * past ones; a <b>slice</b> is what was inserted between two refreshes: the future filter holds the
 * newest slice, and every other filter holds two neighbouring slices.
 *
 * <p>Arrays of slice counts are ordered from the newest slice to the oldest.
 */
public final class FalsePositiveModel {

    /** Ids per line beyond which every position of every line is set, to within 1e-12. */
    private static final double SATURATED = 500;

    private FalsePositiveModel() {}

    /**
     * Equation (1), corrected: the paper swaps m and l and lacks the outer power. One Bloom filter
     * of {@code m} positions with {@code ids} ids of {@code k} positions each.
     */
    public static double bloom(double ids, double m, int k) {
        return Math.pow(fill(ids, m, k), k);
    }

    /** Expected share of set bits: 1 - (1 - 1/m)^(k ids). */
    public static double fill(double ids, double m, int k) {
        return -Math.expm1(k * ids * Math.log1p(-1 / m));
    }

    /** One Bloom filter from its measured share of set bits. */
    public static double fromFill(double fill, int k) {
        return Math.pow(fill, k);
    }

    /**
     * Equation (3) as printed (for N = 1: equation (2)), treating filters as independent: the event
     * "future, or two neighbours, or the oldest". Too low by a factor that grows with N under load
     * ramps; kept for comparison.
     *
     * @param filterIds ids per filter: future, present, past filters from the newest to the oldest
     */
    public static double equation3(double[] filterIds, double m, int k) {
        double none = 1 - bloom(filterIds[0], m, k);
        for (int i = 1; i + 1 < filterIds.length; i++) {
            none *= 1 - bloom(filterIds[i], m, k) * bloom(filterIds[i + 1], m, k);
        }
        return 1 - none * (1 - bloom(filterIds[filterIds.length - 1], m, k));
    }

    /**
     * Exact probability that two neighbouring filters both report an absent id. They hold slices
     * {@code a, b} and {@code b, c} and share the positions' numbers, so a position passes if b set
     * it, or a and c both did.
     */
    public static double pair(double a, double b, double c, double m, int k) {
        double log = k * Math.log1p(-1 / m);
        double pass =
                1 - Math.exp((a + b) * log) - Math.exp((b + c) * log) + Math.exp((a + b + c) * log);
        return Math.pow(pass, k);
    }

    /**
     * The paper's optimised check, corrected: future, or two neighbours, or the oldest filter with
     * a history alone. Exact for each pair; pairs are combined as if independent.
     *
     * @param slices ids per slice; filter 0 (future) holds slice 0, filter i slices i-1 and i, so
     *     the number of filters is the number of slices
     */
    public static double neighbourPairs(double[] slices, double m, int k) {
        int filters = slices.length;
        if (filters == 2) {
            // The future filter is a part of the other one.
            return bloom(slices[0] + slices[1], m, k);
        }
        double none = 1 - bloom(slices[0], m, k);
        // Filter i and i+1 share slice i. The oldest pair implies the oldest filter: left out.
        for (int i = 1; i + 2 < filters; i++) {
            none *= 1 - pair(slices[i - 1], slices[i], slices[i + 1], m, k);
        }
        if (filters > 1) {
            none *= 1 - bloom(slices[filters - 2] + slices[filters - 1], m, k);
        }
        return 1 - none;
    }

    /**
     * The paper's simple check: present, or the oldest filter. Future is a part of present, so it
     * adds nothing.
     *
     * @param slices as for {@link #neighbourPairs}; at least 2
     */
    public static double simple(double[] slices, double m, int k) {
        int filters = slices.length;
        if (filters == 2) {
            return bloom(slices[0] + slices[1], m, k);
        }
        if (filters == 3) {
            // Both hold the middle slice. P(present or oldest) = sum - P(both).
            return bloom(slices[0] + slices[1], m, k)
                    + bloom(slices[1] + slices[2], m, k)
                    - pair(slices[0], slices[1], slices[2], m, k);
        }
        double present = bloom(slices[0] + slices[1], m, k);
        double oldest = bloom(slices[filters - 2] + slices[filters - 1], m, k);
        return 1 - (1 - present) * (1 - oldest);
    }

    /**
     * Our rule: every slice once, in a plane of its own; seen iff any plane has all positions.
     *
     * <p>Never above {@link #neighbourPairs} for the same slices, m and k: a pair passes a position
     * with probability b + (1 - b) a c &gt;= b (as shares of set bits), so each term of the pair
     * rule is at least the term of the slice that the pair shares; and the oldest filter, which
     * holds two slices, is tested alone.
     */
    public static double slices(double[] slices, double m, int k) {
        double none = 1;
        for (double ids : slices) {
            none *= 1 - bloom(ids, m, k);
        }
        return 1 - none;
    }

    /**
     * One plane in the blocked layout: each id takes {@code lines} cache lines, and in each of them
     * one position in each of {@code perLine} sectors. The number of ids on a line is a Poisson
     * variable n, and given n a line passes with probability (1 - (1 - 1/s)^n)^perLine, s =
     * positions per sector.
     *
     * @param ids ids in the plane
     * @param m positions of the array
     * @param positionsPerLine positions in a cache line
     */
    public static double blocked(
            double ids, double m, int positionsPerLine, int lines, int perLine) {
        double load = ids * lines * positionsPerLine / m;
        if (load > SATURATED) {
            return 1;
        }
        double missOne = Math.log1p(-(double) perLine / positionsPerLine);
        double weight = Math.exp(-load);
        double sum = 0;
        double most = load + 12 * Math.sqrt(load) + 40;
        for (int n = 1; n <= most; n++) {
            weight *= load / n;
            sum += weight * Math.pow(-Math.expm1(n * missOne), perLine);
        }
        return Math.pow(Math.min(1, sum), lines);
    }

    /** Any of several independent events. */
    public static double any(double[] probabilities) {
        double none = 0;
        for (double p : probabilities) {
            none += Math.log1p(-p);
        }
        return -Math.expm1(none);
    }
}
