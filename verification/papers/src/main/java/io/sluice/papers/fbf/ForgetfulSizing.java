/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import io.sluice.filter.plane.FalsePositiveModel;
import io.sluice.filter.plane.Geometry;
import io.sluice.filter.plane.Layout;
import java.util.Arrays;

/** From ids per slice, rule and probability to the shape of a forgetful filter. Pure functions. */
final class ForgetfulSizing {

    private ForgetfulSizing() {}

    /** The model's probability for these slices, from the newest to the oldest. */
    static double fpp(Geometry geometry, SeenRule rule, double[] slices) {
        return geometry.layout() == Layout.SCATTERED
                ? scattered((double) geometry.positions(), geometry.probes(), rule, slices)
                : blocked(geometry, rule, slices);
    }

    private static double scattered(double m, int k, SeenRule rule, double[] slices) {
        return switch (rule) {
            case SIMPLE -> FalsePositiveModel.simple(slices, m, k);
            case NEIGHBOUR_PAIRS -> FalsePositiveModel.neighbourPairs(slices, m, k);
            case SLICES -> FalsePositiveModel.slices(slices, m, k);
        };
    }

    private static double blocked(Geometry geometry, SeenRule rule, double[] slices) {
        if (rule != SeenRule.SLICES) {
            throw new IllegalArgumentException(
                    "the blocked layout has a model only for the rule SLICES, got "
                            + rule
                            + ": scatter the positions");
        }
        double[] planes = new double[slices.length];
        for (int i = 0; i < planes.length; i++) {
            planes[i] =
                    FalsePositiveModel.blocked(
                            slices[i],
                            (double) geometry.positions(),
                            geometry.positionsPerLine(),
                            geometry.lines(),
                            geometry.perLine());
        }
        return FalsePositiveModel.any(planes);
    }

    /**
     * The fewest positions (of one plane) that keep the probability at {@code fpp} right before a
     * refresh when each of {@code filters} slices holds {@code idsPerSlice} ids.
     *
     * @param shape layout, word and positions per id; its number of positions is not used
     */
    static Geometry smallest(
            Geometry shape, SeenRule rule, int filters, double idsPerSlice, double fpp) {
        double[] slices = new double[filters];
        Arrays.fill(slices, idsPerSlice);
        long low = 1;
        // The largest array that a geometry allows: by positions, or by words.
        long high =
                Math.min(
                        Geometry.MAX_POSITIONS / shape.positionsPerLine(),
                        (Integer.MAX_VALUE - Long.SIZE) / Geometry.LINE_WORDS);
        if (fpp(withLines(shape, high), rule, slices) > fpp) {
            throw new IllegalArgumentException(
                    idsPerSlice
                            + " ids per slice at fpp "
                            + fpp
                            + " need more than 2^32 positions: use several filters");
        }
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (fpp(withLines(shape, middle), rule, slices) <= fpp) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return withLines(shape, high);
    }

    private static Geometry withLines(Geometry shape, long cacheLines) {
        return new Geometry(
                shape.layout(),
                shape.wordBits(),
                cacheLines * shape.positionsPerLine(),
                shape.lines(),
                shape.perLine());
    }
}
