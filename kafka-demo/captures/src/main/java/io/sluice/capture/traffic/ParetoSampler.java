/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

/**
 * Draws flow sizes from a bounded Pareto distribution, by inversion, scaled to the requested mean.
 * Sizes are whole and at least 1.
 */
final class ParetoSampler {
    private static final int BISECTIONS = 60;

    private final double shape;
    private final double low;
    private final double ratio;

    /**
     * Finds the lower bound by bisection. Rounding to the nearest whole size hardly changes the
     * mean.
     *
     * @param mean clamped to what is possible within [1, max]
     */
    ParetoSampler(double shape, double mean, double max) {
        this.shape = shape;
        double below = 1e-3;
        double above = max;
        for (int i = 0; i < BISECTIONS; i++) {
            double middle = StrictMath.sqrt(below * above);
            if (mean(shape, middle, max) < mean) {
                below = middle;
            } else {
                above = middle;
            }
        }
        low = below;
        ratio = StrictMath.pow(low / max, shape);
    }

    long next(SplitMix64 random) {
        double u = random.nextDouble();
        double size = low * StrictMath.pow(1 - u * (1 - ratio), -1 / shape);
        return Math.max(1, (long) (size + 0.5));
    }

    /** Mean of max(1, size): the mass below 1 counts as 1, the rest is integrated. */
    private static double mean(double shape, double low, double max) {
        double norm = 1 - StrictMath.pow(low / max, shape);
        double from = Math.max(1, low);
        double massBelow = low >= 1 ? 0 : (1 - StrictMath.pow(low, shape)) / norm;
        double factor = shape * StrictMath.pow(low, shape) / norm;
        double integral =
                Math.abs(shape - 1) < 1e-9
                        ? factor * StrictMath.log(max / from)
                        : factor
                                / (1 - shape)
                                * (StrictMath.pow(max, 1 - shape)
                                        - StrictMath.pow(from, 1 - shape));
        return massBelow + integral;
    }
}
