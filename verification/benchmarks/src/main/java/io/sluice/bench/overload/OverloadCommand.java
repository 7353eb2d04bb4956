/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.overload;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.ChartImage;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.report.Figure;
import io.sluice.bench.run.BenchCommand;
import io.sluice.filter.forgetful.WindowOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench overload}: what gives, and how much, at 0.5 to 4 times the expected rate. */
@Command(
        name = "overload",
        mixinStandardHelpOptions = true,
        description = {
            "Windowed filters with the memory of the expected rate at 0.5 to 4 times that rate:"
                    + " share of new ids dropped, share of duplicates passed, per layout and"
                    + " policy. Also writes the two plots as SVG."
        })
public final class OverloadCommand extends BenchCommand {
    private static final double FPP = 1e-3;
    private static final long WINDOW_MILLIS = 10_000;
    private static final double[] FACTORS = {0.5, 0.75, 1, 1.1, 1.2, 1.35, 1.5, 1.75, 2, 2.5, 3, 4};

    @Option(
            names = "--ids",
            paramLabel = "N",
            description = "Ids expected in a window (default: 1000000, quick 50000).")
    private long ids;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "20261101",
            description = "Default: ${DEFAULT-VALUE}.")
    private long seed;

    private record Point(double factor, OverloadRun.Result result) {}

    @Override
    protected void measure(BenchReport report) throws IOException {
        long expected = ids > 0 ? ids : report.quick() ? 50_000 : 1_000_000;
        double maxFpp = WindowOptions.defaultMaxFpp(FPP);
        CsvTable table =
                new CsvTable(
                        "filter,rate,new_ids,dropped,dropped_share,duplicates,passed,"
                                + "passed_share,covered_share,failed_after_windows");
        Chart dropped =
                Chart.logarithmic(
                        "New ids dropped",
                        "rate, in times of what was expected",
                        "share of the new ids");
        Chart passed =
                Chart.linear(
                        "Duplicates passed",
                        "rate, in times of what was expected",
                        "share of the duplicates");
        for (Candidate contender : Candidate.all(WINDOW_MILLIS, expected, FPP)) {
            report.progress(contender.name());
            List<Point> points = new ArrayList<>();
            for (double factor : FACTORS) {
                OverloadRun run =
                        new OverloadRun(WINDOW_MILLIS, factor * expected / WINDOW_MILLIS, seed);
                Point point = new Point(factor, run.run(contender.create().get()));
                points.add(point);
                row(report, table, contender, point);
            }
            check(report, contender, points, maxFpp);
            draw(dropped, passed, contender, points);
        }
        bound(dropped, "asked for", FPP);
        bound(dropped, "allowed under pressure", maxFpp);
        dropped.note(
                String.format(
                        Locale.ROOT,
                        "p = %s, %,d ids expected in a window, one record in ten a duplicate of"
                                + " the last window. FAIL has no point where it ended the job.",
                        FPP,
                        expected));
        report.add(dropped);
        report.add(passed);
        report.table("overload.csv", table);
        ChartImage.write(report.directory().resolve("overload-dropped.svg"), dropped);
        ChartImage.write(report.directory().resolve("overload-passed.svg"), passed);
    }

    private static void row(BenchReport report, CsvTable table, Candidate contender, Point point) {
        OverloadRun.Result result = point.result;
        double failed =
                result.failedAfterMillis() < 0
                        ? -1
                        : (double) result.failedAfterMillis() / WINDOW_MILLIS;
        table.add(
                contender.id(),
                point.factor,
                result.firsts(),
                result.dropped(),
                result.droppedShare(),
                result.duplicates(),
                result.passed(),
                result.passedShare(),
                (double) result.coveredMillis() / WINDOW_MILLIS,
                failed);
        report.progress(
                failed >= 0
                        ? String.format(
                                Locale.ROOT,
                                "    %4.2f times the rate: failed after %.2f windows",
                                point.factor,
                                failed)
                        : String.format(
                                Locale.ROOT,
                                "    %4.2f times the rate: %.6f of the new ids dropped, %.4f of"
                                        + " the duplicates passed, %.2f of the window covered",
                                point.factor,
                                result.droppedShare(),
                                result.passedShare(),
                                (double) result.coveredMillis() / WINDOW_MILLIS));
        for (double shown : new double[] {1, 2, 4}) {
            if (point.factor == shown && failed < 0) {
                String prefix =
                        String.format(Locale.ROOT, "overload.%s.rate%.0f.", contender.id(), shown);
                report.addSilently(
                        new Figure(prefix + "dropped", result.droppedShare(), "share", "", "", ""));
                report.addSilently(
                        new Figure(prefix + "passed", result.passedShare(), "share", "", "", ""));
            }
        }
    }

    /** Five standard deviations above what is allowed is never chance in these runs. */
    private static void check(
            BenchReport report, Candidate contender, List<Point> points, double maxFpp) {
        String worst = "";
        boolean ok = true;
        double highest = -1;
        for (Point point : points) {
            OverloadRun.Result result = point.result;
            double allowed = maxFpp * result.firsts();
            boolean kept = result.dropped() <= allowed + 5 * Math.sqrt(allowed);
            boolean whole = point.factor > 1 || result.passed() == 0;
            ok &= !contender.bounded() || (kept && whole);
            if (result.droppedShare() > highest) {
                highest = result.droppedShare();
                worst =
                        String.format(
                                Locale.ROOT,
                                "at most %.2e of the new ids dropped, at %s times the rate",
                                highest,
                                point.factor);
            }
        }
        report.check("overload." + contender.id(), ok, worst);
    }

    private static void draw(Chart dropped, Chart passed, Candidate contender, List<Point> points) {
        List<double[]> drops = new ArrayList<>();
        List<double[]> passes = new ArrayList<>();
        for (Point point : points) {
            if (point.result.failedAfterMillis() < 0) {
                drops.add(new double[] {point.factor, point.result.droppedShare()});
                passes.add(new double[] {point.factor, point.result.passedShare()});
            }
        }
        dropped.measured(contender.name(), drops);
        passed.measured(contender.name(), passes);
    }

    private static void bound(Chart chart, String name, double value) {
        chart.formula(
                name,
                List.of(
                        new double[] {FACTORS[0], value},
                        new double[] {FACTORS[FACTORS.length - 1], value}));
    }
}
