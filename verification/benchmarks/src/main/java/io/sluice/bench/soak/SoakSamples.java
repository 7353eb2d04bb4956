/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.papers.figure.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** All samples of a run, in order, and what follows from them. */
final class SoakSamples {
    private final Map<SoakSeries, List<double[]>> points = new EnumMap<>(SoakSeries.class);

    /** A row for each sample; a value that it lacks is empty. */
    private final Table table =
            Table.of(
                    Stream.concat(
                                    Stream.of("minutes"),
                                    Stream.of(SoakSeries.values()).map(SoakSeries::id))
                            .toArray(String[]::new));

    SoakSamples() {
        for (SoakSeries series : SoakSeries.values()) {
            points.put(series, new ArrayList<>());
        }
    }

    void add(double minutes, Map<SoakSeries, Double> values) {
        List<Object> row = new ArrayList<>(List.of(minutes));
        for (SoakSeries series : SoakSeries.values()) {
            Double value = values.get(series);
            row.add(value == null ? "" : value);
            if (value != null) {
                points.get(series).add(new double[] {minutes, value});
            }
        }
        table.add(row.toArray());
    }

    Table table() {
        return table;
    }

    /** Adds a plot, a row and, unless the run was a quick one, a check for each series. */
    void judge(BenchReport report) throws IOException {
        Table thirds = Table.of("series,unit,first,middle,last,growth,allowed,flat".split(","));
        for (SoakSeries series : SoakSeries.values()) {
            judge(report, series, thirds);
        }
        report.table("soak-thirds.csv", thirds);
    }

    private void judge(BenchReport report, SoakSeries series, Table rows) {
        List<double[]> of = points.get(series);
        // A quick run ends before everything is warm.
        boolean judged = series.isJudged() && !report.quick();
        String check = "flat: " + series.title();
        int needed = 3 * Thirds.LEAST;
        if (of.size() < needed) {
            if (judged && !(of.isEmpty() && series.maybeUnknown())) {
                report.check(
                        check,
                        false,
                        "only %d samples; a verdict needs %d: run it for longer",
                        of.size(),
                        needed);
            }
            return;
        }
        Thirds thirds = Thirds.of(series, of.stream().map(point -> point[1]).toList());
        if (judged) {
            report.check(check, thirds.isFlat(), "%s", thirds);
        }
        rows.add(
                series.id(),
                series.unit(),
                thirds.first(),
                thirds.middle(),
                thirds.last(),
                thirds.growth(),
                judged ? thirds.allowed() : "",
                judged ? thirds.isFlat() : "");
        int third = of.size() / 3;
        Chart chart = Chart.linear(series.title(), "minutes", series.unit()).measured("sample", of);
        median(chart, "first third", thirds.first(), of.subList(0, of.size() - 2 * third));
        median(
                chart,
                "middle third",
                thirds.middle(),
                of.subList(of.size() - 2 * third, of.size() - third));
        median(chart, "last third", thirds.last(), of.subList(of.size() - third, of.size()));
        report.add(
                chart.note(
                        "Medians of the thirds: "
                                + thirds
                                + (!judged
                                        ? "; not judged."
                                        : thirds.isFlat() ? ": flat." : ": GROWS.")));
    }

    private static void median(Chart chart, String name, double median, List<double[]> points) {
        chart.formula(
                name,
                List.of(
                        new double[] {points.get(0)[0], median},
                        new double[] {points.get(points.size() - 1)[0], median}));
    }
}
