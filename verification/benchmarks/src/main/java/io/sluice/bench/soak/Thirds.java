/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import io.sluice.bench.report.Spread;
import java.util.List;
import java.util.Locale;

/**
 * The medians of the thirds of a series; the first is the warm-up. What leaks shows in the last one
 * beside the middle one, what just varies does not.
 */
record Thirds(SoakSeries series, double first, double middle, double last) {
    /** Samples that a third needs to have a median worth the name. */
    static final int LEAST = 5;

    /**
     * @throws IllegalArgumentException if there are fewer than {@link #LEAST} samples in a third
     */
    static Thirds of(SoakSeries series, List<Double> samples) {
        int third = samples.size() / 3;
        if (third < LEAST) {
            throw new IllegalArgumentException(
                    "only "
                            + samples.size()
                            + " samples of '"
                            + series.title()
                            + "': a verdict needs "
                            + 3 * LEAST);
        }
        int rest = samples.size() - 2 * third;
        return new Thirds(
                series,
                median(samples.subList(0, rest)),
                median(samples.subList(rest, rest + third)),
                median(samples.subList(rest + third, samples.size())));
    }

    private static double median(List<Double> samples) {
        return Spread.of(samples).median();
    }

    double growth() {
        return last - middle;
    }

    double allowed() {
        return series.allowed(middle);
    }

    /** Whether it does not grow, or is not judged. What shows nothing was not measured. */
    boolean isFlat() {
        return !series.isJudged() || (middle > 0 && last > 0 && growth() <= allowed());
    }

    @Override
    public String toString() {
        String medians =
                "%s, %s, %s %s".formatted(text(first), text(middle), text(last), series.unit());
        return series.isJudged()
                ? medians + "; grew by %s, allowed %s".formatted(text(growth()), text(allowed()))
                : medians;
    }

    static String text(double value) {
        boolean isWhole = value == Math.rint(value) || Math.abs(value) >= 1000;
        return String.format(Locale.ROOT, isWhole ? "%,.0f" : "%.2f", value);
    }
}
