/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.overload;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.Figure;
import io.sluice.bench.run.BenchCommand;
import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.papers.figure.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench overload}: what gives, and how much, at 0.5 to 4 times the expected rate. */
@Command(
        name = "overload",
        mixinStandardHelpOptions = true,
        description = {
            "Forgetful filters with the memory of the expected rate at 0.5 to 4 times that rate:"
                    + " share of new ids dropped, share of duplicates passed, per layout and"
                    + " policy."
        })
public final class OverloadCommand extends BenchCommand {
    private static final double FPP = 1e-3;
    private static final long WINDOW_MILLIS = 10_000;
    private static final double[] FACTORS = {0.5, 0.75, 1, 1.1, 1.2, 1.35, 1.5, 1.75, 2, 2.5, 3, 4};
    private static final Set<Double> FACTORS_OF_FIGURES = Set.of(1.0, 2.0, 4.0);

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

    private final Table table =
            Table.of(
                    ("filter,rate,new_ids,dropped,dropped_share,duplicates,passed,"
                                    + "passed_share,covered_share,failed_after_windows")
                            .split(","));
    private final double maxFpp = WindowOptions.defaultMaxFpp(FPP);

    @Override
    protected void measure(BenchReport report) throws IOException {
        long expected = ids > 0 ? ids : report.quick() ? 50_000 : 1_000_000;
        String rate = "rate, in times of what was expected";
        Chart dropped = Chart.logarithmic("New ids dropped", rate, "share of the new ids");
        Chart passed = Chart.linear("Duplicates passed", rate, "share of the duplicates");
        for (Candidate candidate : Candidate.all(WINDOW_MILLIS, expected, FPP)) {
            report.progress(candidate.name());
            List<double[]> drops = new ArrayList<>();
            List<double[]> passes = new ArrayList<>();
            boolean ok = true;
            double worst = -1;
            double worstAt = 0;
            for (double factor : FACTORS) {
                OverloadRun.Result result =
                        new OverloadRun(WINDOW_MILLIS, factor * expected / WINDOW_MILLIS, seed)
                                .run(candidate.create().get());
                row(report, candidate, factor, result);
                ok &= holds(candidate, factor, result);
                if (result.droppedShare() > worst) {
                    worst = result.droppedShare();
                    worstAt = factor;
                }
                if (result.failedAfterMillis() < 0) {
                    drops.add(new double[] {factor, result.droppedShare()});
                    passes.add(new double[] {factor, result.passedShare()});
                }
            }
            report.check(
                    "overload." + candidate.id(),
                    ok,
                    "at most %.2e of the new ids dropped, at %s times the rate",
                    worst,
                    worstAt);
            dropped.measured(candidate.name(), drops);
            passed.measured(candidate.name(), passes);
        }
        double last = FACTORS[FACTORS.length - 1];
        dropped.level("asked for", FPP, FACTORS[0], last)
                .level("allowed under pressure", maxFpp, FACTORS[0], last)
                .note(
                        String.format(
                                Locale.ROOT,
                                "p = %s, %,d ids expected in a window, one record in ten a"
                                        + " duplicate of the last window. FAIL has no point where"
                                        + " it ended the job.",
                                FPP,
                                expected));
        report.add(dropped);
        report.add(passed);
        report.table("overload.csv", table);
    }

    private void row(
            BenchReport report, Candidate candidate, double factor, OverloadRun.Result result) {
        boolean failed = result.failedAfterMillis() >= 0;
        double windows = failed ? (double) result.failedAfterMillis() / WINDOW_MILLIS : -1;
        double covered = (double) result.coveredMillis() / WINDOW_MILLIS;
        table.add(
                candidate.id(),
                factor,
                result.firsts(),
                result.dropped(),
                result.droppedShare(),
                result.duplicates(),
                result.passed(),
                result.passedShare(),
                covered,
                windows);
        if (failed) {
            report.progress("    %4.2f times the rate: failed after %.2f windows", factor, windows);
            return;
        }
        report.progress(
                "    %4.2f times the rate: %.6f of the new ids dropped, %.4f of the duplicates"
                        + " passed, %.2f of the window covered",
                factor, result.droppedShare(), result.passedShare(), covered);
        if (FACTORS_OF_FIGURES.contains(factor)) {
            String prefix =
                    String.format(Locale.ROOT, "overload.%s.rate%.0f.", candidate.id(), factor);
            report.addSilently(
                    new Figure(prefix + "dropped", result.droppedShare(), "share", "", "", ""));
            report.addSilently(
                    new Figure(prefix + "passed", result.passedShare(), "share", "", "", ""));
        }
    }

    /** Five standard deviations above what is allowed is never chance in these runs. */
    private boolean holds(Candidate candidate, double factor, OverloadRun.Result result) {
        double allowed = maxFpp * result.firsts();
        boolean kept = result.dropped() <= allowed + 5 * Math.sqrt(allowed);
        boolean whole = factor > 1 || result.passed() == 0;
        return !candidate.bounded() || (kept && whole);
    }
}
