/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

/**
 * The paper's probabilities (section IV) that a forgetful Bloom filter reports an absent element,
 * and the exact ones. Pure functions; {@code m} bits of a filter, {@code k} of an element.
 *
 * <p>Arrays of elements per slice go from the newest slice to the oldest: filter 0 holds slice 0,
 * filter i slices i - 1 and i.
 */
public final class ForgetfulModel {

    private ForgetfulModel() {}

    /**
     * Equation 1, corrected: the paper swaps m and l and lacks the outer power. One Bloom filter
     * with {@code elements}, in the exponential form of the paper's right-hand sides.
     */
    public static double bloom(double elements, double m, int k) {
        return Math.pow(-Math.expm1(-k * elements / m), k);
    }

    /** Equation 3 (for one past filter: 2) as printed: filters are taken as independent. */
    public static double equationThree(double[] slices, double m, int k) {
        int oldest = slices.length - 1;
        double none = 1 - bloom(inFilter(slices, 0), m, k);
        for (int i = 1; i < oldest; i++) {
            none *= 1 - bloom(inFilter(slices, i), m, k) * bloom(inFilter(slices, i + 1), m, k);
        }
        return 1 - none * (1 - bloom(inFilter(slices, oldest), m, k));
    }

    /**
     * The corrected check, exact for each pair: two neighbours share a whole slice, so they pass a
     * position if that slice set it, or both others did.
     */
    public static double neighbourPairs(double[] slices, double m, int k) {
        int filters = slices.length;
        double none = 1 - bloom(slices[0], m, k);
        // The oldest pair implies the oldest filter.
        for (int i = 1; i + 2 < filters; i++) {
            none *= 1 - pair(slices[i - 1], slices[i], slices[i + 1], m, k);
        }
        return 1 - none * (1 - bloom(inFilter(slices, filters - 1), m, k));
    }

    /** The simple check: present or oldest, which share the middle slice if there are three. */
    public static double simple(double[] slices, double m, int k) {
        double present = bloom(inFilter(slices, 1), m, k);
        double oldest = bloom(inFilter(slices, slices.length - 1), m, k);
        double both =
                slices.length == 3 ? pair(slices[0], slices[1], slices[2], m, k) : present * oldest;
        return present + oldest - both;
    }

    /** The simple check as a product over all filters, as if they were independent. */
    public static double simpleIndependent(double[] slices, double m, int k) {
        double none = 1;
        for (int i = 0; i < slices.length; i++) {
            none *= 1 - bloom(inFilter(slices, i), m, k);
        }
        return 1 - none;
    }

    /** Both of two neighbours, which hold slices {@code a, b} and {@code b, c}. */
    static double pair(double a, double b, double c, double m, int k) {
        double pass =
                1
                        - Math.exp(-k * (a + b) / m)
                        - Math.exp(-k * (b + c) / m)
                        + Math.exp(-k * (a + b + c) / m);
        return Math.pow(pass, k);
    }

    /** Elements of filter {@code i}. */
    static double inFilter(double[] slices, int i) {
        return i == 0 ? slices[0] : slices[i - 1] + slices[i];
    }
}
