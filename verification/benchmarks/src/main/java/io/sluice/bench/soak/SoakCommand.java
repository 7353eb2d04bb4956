/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.BenchCommand;
import io.sluice.flink.testkit.local.Directories;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench soak}: whether anything grows while windows pass by and jobs fail. */
@Command(
        name = "soak",
        mixinStandardHelpOptions = true,
        description = {
            "Two jobs at full rate in this process, with checkpoints and failures: memory, files,"
                + " threads, handles and checkpoints must not grow, and every record must become"
                + " what it has to. Set the heap with SLUICE_JAVA_OPTS='-Xms1g -Xmx1g"
                + " -XX:+AlwaysPreTouch'."
        })
public final class SoakCommand extends BenchCommand {
    @Option(
            names = "--minutes",
            paramLabel = "M",
            description = "At least this long (default: 60, quick 1; 0 with --ids alone).")
    private Double minutes;

    @Option(
            names = "--ids",
            paramLabel = "N",
            description = "At least this many ids in both jobs together.")
    private long ids;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "20261101",
            description = "Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Override
    protected void measure(BenchReport report) throws Exception {
        SoakPlan plan = plan(report.quick());
        Path directory = Files.createTempDirectory("sluice-bench-soak");
        try {
            report.progress(
                    "soak: %d MB of heap, %d MB of managed memory, seed %d, %s",
                    Runtime.getRuntime().maxMemory() >> 20,
                    SoakRun.MANAGED_MEGABYTES,
                    seed,
                    directory);
            SoakRun.Result result = new SoakRun(report, plan, directory).run();
            figures(report, plan, result);
            for (SoakJob job : SoakJob.values()) {
                SoakCounts.check(
                        report,
                        job,
                        job.ids(seed, plan),
                        result.emitted().get(job),
                        result.tallies().get(job));
                report.check(
                        job.id() + ": failed on purpose alone",
                        result.restarts().get(job).equals(result.failures().get(job)),
                        "%d failures, %d restarts",
                        result.failures().get(job),
                        result.restarts().get(job));
            }
            report.check(
                    "nothing is forgotten early",
                    result.sampler().forgotten() == 0 && result.sampler().overflows() == 0,
                    "metrics forgotten %.0f, overflows %.0f",
                    result.sampler().forgotten(),
                    result.sampler().overflows());
            SoakVerdicts.add(report, result.sampler().samples());
        } finally {
            Directories.deleteRecursively(directory);
        }
    }

    private SoakPlan plan(boolean quick) {
        if (ids < 0) {
            throw new IllegalArgumentException(
                    "--ids must not be negative, but is " + ids + ": leave it out for any number");
        }
        if (minutes != null && !(minutes >= 0)) {
            throw new IllegalArgumentException(
                    "--minutes must not be negative, but is " + minutes + ": an hour is 60");
        }
        double atLeast = minutes != null ? minutes : ids > 0 ? 0 : quick ? 1 : 60;
        return SoakPlan.of(quick, seed, Duration.ofMillis((long) (atLeast * 60_000)), ids);
    }

    private static void figures(BenchReport report, SoakPlan plan, SoakRun.Result result) {
        report.add("soak.seed", (double) plan.seed(), "seed", "", "");
        report.add("soak.minutes", result.seconds() / 60, "min", "", "");
        double all = 0;
        for (SoakJob job : SoakJob.values()) {
            String prefix = "soak." + job.id() + '.';
            double emitted = result.emitted().get(job);
            double checkpoints = result.sampler().checkpoints(job);
            all += emitted;
            report.add(prefix + "ids", emitted, "ids", "", "each counted once, replays aside");
            report.add(prefix + "rate", emitted / result.seconds(), "ids/s", "", "mean");
            report.add(prefix + "checkpoints", checkpoints, "checkpoints", "", "completed");
            report.add(prefix + "failures", result.failures().get(job), "failures", "", "");
        }
        report.add("soak.ids", all, "ids", "", "both jobs");
        double windows = (double) result.emitted().get(SoakJob.WINDOW) / SoakJob.RECORDS_PER_WINDOW;
        report.add("soak.windows", windows, "windows", "", "of event time that have passed");
        double lifetimes = result.seconds() / plan.timeToLive().toSeconds();
        report.add("soak.lifetimes", lifetimes, "lifetimes", "", "of flags that have passed");
    }
}
