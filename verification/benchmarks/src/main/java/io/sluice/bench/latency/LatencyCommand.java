/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.latency;

import io.sluice.bench.latency.LatencyRun.Result;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.run.BenchCommand;
import io.sluice.flink.testkit.local.Directories;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code bench latency}: how long records are under way at 10, 50 and 90 % of the greatest rate.
 */
@Command(
        name = "latency",
        mixinStandardHelpOptions = true,
        description = {
            "How long a record is under way in a Flink job, at 10, 50 and 90 %% of the rate that"
                    + " each engine reaches: 50, 99 and 99.9 of 100 records, beside a map that does"
                    + " nothing at the same rate. One subtask each, buffers leave after 1 ms,"
                    + " checkpoints every 5 s, all records new."
        })
public final class LatencyCommand extends BenchCommand {
    private static final int[] PERCENT = {10, 50, 90};
    private static final double[] QUANTILES = {50, 99, 99.9};

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description =
                    "Length of a run, of which the first third warms up (default: 30, quick 3).")
    private int seconds;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "ENGINE[,ENGINE...]",
            description = "${COMPLETION-CANDIDATES}; all if left out.")
    private List<LatencyEngine> only;

    @Override
    protected void measure(BenchReport report) throws Exception {
        int length = seconds > 0 ? seconds : report.quick() ? 3 : 30;
        List<LatencyEngine> engines = only == null ? List.of(LatencyEngine.values()) : only;
        for (LatencyEngine engine : engines) {
            double most = most(report, engine, length);
            Chart chart =
                    Chart.logarithmic(
                            engine.title, "records out of 1, those that are faster left out", "ms");
            for (int percent : PERCENT) {
                double rate = most * percent / 100;
                Histogram ours = paced(report, engine, rate, length, percent);
                Histogram nothing =
                        engine == LatencyEngine.NOOP
                                ? ours
                                : paced(report, LatencyEngine.NOOP, rate, length, percent);
                figures(report, engine, percent, rate, ours, nothing);
                chart.measured(percent + " % of the greatest rate", points(ours));
                chart.formula("no-op map at the rate of " + percent + " %", points(nothing));
            }
            report.add(chart);
        }
    }

    /** The rate of the second of two runs at full speed. */
    private static double most(BenchReport report, LatencyEngine engine, int length)
            throws Exception {
        double rate = once(engine, 0, 200_000, 0).perSecond();
        rate = once(engine, 0, Math.max(200_000, (long) (rate * length / 3)), 0).perSecond();
        report.add(
                "latency." + engine.id() + ".greatestPerSecond",
                rate,
                "records/s",
                "",
                engine.title + ", source and engine with one subtask each");
        return rate;
    }

    private static Histogram paced(
            BenchReport report, LatencyEngine engine, double rate, int length, int percent)
            throws Exception {
        long records = Math.max(1_000, (long) (rate * length));
        Result result = once(engine, rate, records, records / 3);
        report.check(
                "latency." + engine.id() + ".passed." + percent + "." + (long) rate,
                result.passed() >= records * (1 - 1e-4) && result.passed() <= records,
                "%,d of %,d records came through at %,.0f a second, which was asked to be %,.0f",
                result.passed(),
                records,
                result.perSecond(),
                rate);
        return result.latencies();
    }

    private static void figures(
            BenchReport report,
            LatencyEngine engine,
            int percent,
            double rate,
            Histogram ours,
            Histogram nothing) {
        for (double quantile : QUANTILES) {
            double millis = ours.getValueAtPercentile(quantile) / 1e6;
            double without = nothing.getValueAtPercentile(quantile) / 1e6;
            report.add(
                    String.format("latency.%s.p%s.at%d", engine.id(), text(quantile), percent),
                    millis,
                    "ms",
                    "",
                    String.format(
                            "at %,.0f records/s; no-op map %.3f ms, so %.3f ms more",
                            rate, without, millis - without));
        }
    }

    private static String text(double quantile) {
        return quantile == Math.rint(quantile)
                ? Integer.toString((int) quantile)
                : Double.toString(quantile).replace(".", "");
    }

    /** Latency over one in how many records is slower. */
    private static List<double[]> points(Histogram latencies) {
        List<double[]> points = new ArrayList<>();
        for (double slower = 0.5; slower > 1e-5; slower /= 2) {
            points.add(
                    new double[] {
                        1 / slower, latencies.getValueAtPercentile(100 * (1 - slower)) / 1e6
                    });
        }
        return points;
    }

    private static Result once(LatencyEngine engine, double rate, long records, long warmUp)
            throws Exception {
        Path directory = Files.createTempDirectory("sluice-bench");
        try {
            return LatencyRun.run(engine, rate, records, warmUp, directory);
        } finally {
            Directories.deleteRecursively(directory);
        }
    }
}
