/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import io.sluice.filter.plane.FalsePositiveModel;
import io.sluice.filter.plane.SlicedArray;

/** False-positive probability of a bit-sliced array from the bits that are set. */
final class MeasuredFpp {

    private MeasuredFpp() {}

    /**
     * @param planes planes from the newest to the oldest
     */
    static double of(SlicedArray array, SeenRule rule, int[] planes) {
        int n = planes.length;
        double[] events = new double[n + 1];
        switch (rule) {
            case SLICES -> {
                for (int i = 0; i < n; i++) {
                    events[i] = passing(array, 1L << planes[i]);
                }
            }
            case SIMPLE -> {
                double present = passing(array, 1L << planes[1]);
                double oldest = passing(array, 1L << planes[n - 1]);
                double both = passing(array, 1L << planes[1] | 1L << planes[n - 1]);
                // For n = 2 the two are one filter, and this is its probability.
                return present + oldest - both;
            }
            case NEIGHBOUR_PAIRS -> {
                if (n == 2) {
                    // The future filter is a part of the other one.
                    return passing(array, 1L << planes[1]);
                }
                events[0] = passing(array, 1L << planes[0]);
                events[n] = passing(array, 1L << planes[n - 1]);
                for (int i = 1; i + 2 < n; i++) {
                    events[i] = passing(array, 1L << planes[i] | 1L << planes[i + 1]);
                }
            }
        }
        return FalsePositiveModel.any(events);
    }

    /** Probability that all positions of an absent id are set in all of {@code planes}. */
    private static double passing(SlicedArray array, long planes) {
        return array.measuredFpp(planes, Integer.MAX_VALUE);
    }
}
