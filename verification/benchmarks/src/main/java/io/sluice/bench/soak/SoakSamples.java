/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import io.sluice.bench.report.CsvTable;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** All samples of a run, in order. */
final class SoakSamples {
    private record Sample(double minutes, Map<SoakSeries, Double> values) {}

    private final List<Sample> samples = new ArrayList<>();

    void add(double minutes, Map<SoakSeries, Double> values) {
        samples.add(new Sample(minutes, new EnumMap<>(values)));
    }

    /** The values of a series; a sample that lacks it is left out. */
    List<Double> values(SoakSeries series) {
        return samples.stream()
                .map(sample -> sample.values.get(series))
                .filter(value -> value != null)
                .toList();
    }

    /** Minutes and value. */
    List<double[]> points(SoakSeries series) {
        return samples.stream()
                .filter(sample -> sample.values.containsKey(series))
                .map(sample -> new double[] {sample.minutes, sample.values.get(series)})
                .toList();
    }

    /** A row for each sample; a value that it lacks is empty. */
    CsvTable table() {
        StringBuilder header = new StringBuilder("minutes");
        for (SoakSeries series : SoakSeries.values()) {
            header.append(',').append(series.id());
        }
        CsvTable table = new CsvTable(header.toString());
        for (Sample sample : samples) {
            List<Object> row = new ArrayList<>(List.of(sample.minutes));
            for (SoakSeries series : SoakSeries.values()) {
                Double value = sample.values.get(series);
                row.add(value == null ? "" : value);
            }
            table.add(row.toArray());
        }
        return table;
    }
}
