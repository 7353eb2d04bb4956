/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.report;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Median and range of several runs. */
public record Spread(double median, double least, double most, int runs) {
    public static Spread of(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        double median =
                sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(
                median, sorted[0], Arrays.stream(sorted).max().orElseThrow(), sorted.length);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "median of %d, %.4g to %.4g", runs, least, most);
    }
}
