/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import java.util.Arrays;

/**
 * The probabilities of values, equal ones together, so that thousands of values cost no more than a
 * few. Beyond {@value #MAX_GROUPS} groups neighbours are merged into their mean. Immutable.
 */
final class ValueGroups {

    static final int MAX_GROUPS = 24;

    private final double[] probabilities;
    private final double[] sizes;

    /** Share of a value's probability that one tag has: 2^-g. */
    private final double tag;

    private ValueGroups(double[] probabilities, double[] sizes, double tag) {
        this.probabilities = probabilities;
        this.sizes = sizes;
        this.tag = tag;
    }

    static ValueGroups of(double... probabilities) {
        double[] sorted = probabilities.clone();
        Arrays.sort(sorted);
        double sum = Arrays.stream(sorted).sum();
        if (sorted.length < 2 || !(sorted[0] >= 0) || !(sum > 0) || Double.isInfinite(sum)) {
            throw new IllegalArgumentException(
                    "probabilities must be at least 2 numbers, none negative and not all 0, got "
                            + Arrays.toString(probabilities));
        }
        double[] of = new double[sorted.length];
        double[] sizes = new double[sorted.length];
        int groups = 0;
        for (double p : sorted) {
            if (groups > 0 && p / sum == of[groups - 1]) {
                sizes[groups - 1]++;
            } else {
                of[groups] = p / sum;
                sizes[groups++] = 1;
            }
        }
        while (groups > MAX_GROUPS) {
            groups = mergeNearest(of, sizes, groups);
        }
        return new ValueGroups(Arrays.copyOf(of, groups), Arrays.copyOf(sizes, groups), 1);
    }

    /** Merges the two neighbours whose difference weighs least. */
    private static int mergeNearest(double[] of, double[] sizes, int groups) {
        int at = 0;
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i + 1 < groups; i++) {
            double cost =
                    (of[i + 1] - of[i]) * Math.min(sizes[i] * of[i], sizes[i + 1] * of[i + 1]);
            if (cost < least) {
                least = cost;
                at = i;
            }
        }
        double size = sizes[at] + sizes[at + 1];
        of[at] = (of[at] * sizes[at] + of[at + 1] * sizes[at + 1]) / size;
        sizes[at] = size;
        System.arraycopy(of, at + 2, of, at + 1, groups - at - 2);
        System.arraycopy(sizes, at + 2, sizes, at + 1, groups - at - 2);
        return groups - 1;
    }

    ValueGroups withTag(int tagBits) {
        return new ValueGroups(probabilities, sizes, Math.scalb(1.0, -tagBits));
    }

    int groups() {
        return sizes.length;
    }

    /** Values in group {@code i}. */
    double size(int i) {
        return sizes[i];
    }

    /** Probability of all values of group {@code i}. */
    double weight(int i) {
        return sizes[i] * probabilities[i];
    }

    /** Probability of one value of group {@code i} with one tag. */
    double symbol(int i) {
        return probabilities[i] * tag;
    }

    /** Unordered pairs of different values, one of group {@code i} and one of {@code j}. */
    double pairs(int i, int j) {
        return i == j ? sizes[i] * (sizes[i] - 1) / 2 : sizes[i] * sizes[j];
    }

    /** Unordered triples of different values of groups {@code i <= j <= l}. */
    double triples(int i, int j, int l) {
        if (i == j && j == l) {
            return sizes[i] * (sizes[i] - 1) * (sizes[i] - 2) / 6;
        }
        if (i == j) {
            return pairs(i, i) * sizes[l];
        }
        return j == l ? sizes[i] * pairs(j, j) : sizes[i] * sizes[j] * sizes[l];
    }
}
