/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import java.io.IOException;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Insertions over time, the paper's figure 3: every structure has the same memory and the same
 * disk. Structures that cannot reach the wanted number of keys in the allowed time stop early;
 * their rate has settled long before.
 */
final class FigureThree {
    private final BenchReport report;
    private final CsvTable table = new CsvTable("structure,keys,seconds,perSecond,longestMillis");
    private final Chart keys =
            Chart.logarithmic("Insertions over time (figure 3)", "seconds", "keys");
    private final Chart rates =
            Chart.logarithmic("Insertions a second, by interval", "keys", "keys/s");
    private final Chart stalls =
            Chart.logarithmic(
                    "Longest " + InsertionCurve.BLOCK + " insertions in a row, by interval",
                    "keys",
                    "ms");

    FigureThree(BenchReport report) {
        this.report = report;
    }

    void add(DiskFilter filter, InsertionCurve curve) throws IOException {
        for (InsertionCurve.Point point : curve.points()) {
            table.add(
                    filter.id(),
                    point.keys(),
                    point.seconds(),
                    point.perSecond(),
                    point.longestMillis());
        }
        keys.measured(
                filter.name(),
                points(curve, InsertionCurve.Point::seconds, InsertionCurve.Point::keys));
        rates.measured(
                filter.name(),
                points(curve, InsertionCurve.Point::keys, InsertionCurve.Point::perSecond));
        stalls.measured(
                filter.name(),
                points(curve, InsertionCurve.Point::keys, InsertionCurve.Point::longestMillis));
        String prefix = "cascade.inserts." + filter.id();
        report.add(
                prefix + ".perSecond",
                curve.perSecond(),
                "keys/s",
                "",
                "%,d keys in %.1f s; last tenth %,.0f/s; slowest interval %,.0f/s;"
                        + " %,.0f/s with the time to settle; longest %d in a row"
                        + " %.1f ms; %.0f MB of files; %.1f bytes written a"
                        + " key",
                curve.keys(),
                curve.seconds(),
                curve.lastPerSecond(),
                curve.leastPerSecond(),
                curve.perSecondSettled(),
                InsertionCurve.BLOCK,
                curve.longestMillis(),
                filter.diskBytes() / 1e6,
                (double) filter.bytesWritten() / curve.keys());
    }

    private static List<double[]> points(
            InsertionCurve curve,
            ToDoubleFunction<InsertionCurve.Point> x,
            ToDoubleFunction<InsertionCurve.Point> y) {
        return curve.points().stream()
                .map(point -> new double[] {x.applyAsDouble(point), y.applyAsDouble(point)})
                .toList();
    }

    void write(String note) throws IOException {
        report.table("cascade_inserts.csv", table);
        report.add(keys.note(note));
        report.add(rates);
        report.add(stalls);
    }
}
