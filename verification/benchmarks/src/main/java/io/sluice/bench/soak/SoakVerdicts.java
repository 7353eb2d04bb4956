/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import java.io.IOException;
import java.util.List;

/** A plot, a row and, unless the run was a quick one, a check for each series. */
final class SoakVerdicts {
    private final BenchReport report;
    private final SoakSamples samples;
    private final CsvTable table =
            new CsvTable("series,unit,first,middle,last,growth,allowed,flat");

    private SoakVerdicts(BenchReport report, SoakSamples samples) {
        this.report = report;
        this.samples = samples;
    }

    static void add(BenchReport report, SoakSamples samples) throws IOException {
        SoakVerdicts verdicts = new SoakVerdicts(report, samples);
        for (SoakSeries series : SoakSeries.values()) {
            verdicts.add(series);
        }
        report.table("soak-thirds.csv", verdicts.table);
    }

    private void add(SoakSeries series) {
        List<Double> values = samples.values(series);
        // A quick run ends before everything is warm.
        boolean judged = series.isJudged() && !report.quick();
        String check = "flat: " + series.title();
        if (values.size() < 3 * Thirds.LEAST) {
            if (judged && !(values.isEmpty() && series.maybeUnknown())) {
                report.check(
                        check,
                        false,
                        "only %d samples; a verdict needs %d: run it for longer",
                        values.size(),
                        3 * Thirds.LEAST);
            }
            return;
        }
        Thirds thirds = Thirds.of(series, values);
        if (judged) {
            report.check(check, thirds.isFlat(), "%s", thirds);
        }
        table.add(
                series.id(),
                series.unit(),
                thirds.first(),
                thirds.middle(),
                thirds.last(),
                thirds.growth(),
                judged ? thirds.allowed() : "",
                judged ? thirds.isFlat() : "");
        Chart chart = chart(thirds, samples.points(series));
        report.add(chart.note("Medians of the thirds: " + thirds + verdict(thirds, judged)));
    }

    private static String verdict(Thirds thirds, boolean judged) {
        if (judged) {
            return thirds.isFlat() ? ": flat." : ": GROWS.";
        }
        return thirds.series().isJudged()
                ? "; not judged in a quick run."
                : "; it depends on the load of the machine, and is not judged.";
    }

    private static Chart chart(Thirds thirds, List<double[]> points) {
        SoakSeries series = thirds.series();
        Chart chart =
                Chart.linear(series.title(), "minutes", series.unit()).measured("sample", points);
        int third = points.size() / 3;
        int rest = points.size() - 2 * third;
        median(chart, "first third", thirds.first(), points.subList(0, rest));
        median(chart, "middle third", thirds.middle(), points.subList(rest, rest + third));
        median(chart, "last third", thirds.last(), points.subList(rest + third, points.size()));
        return chart;
    }

    private static void median(Chart chart, String name, double median, List<double[]> points) {
        chart.formula(
                name,
                List.of(
                        new double[] {points.get(0)[0], median},
                        new double[] {points.get(points.size() - 1)[0], median}));
    }
}
