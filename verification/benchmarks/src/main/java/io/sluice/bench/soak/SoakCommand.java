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
            new SoakRun(report, plan, directory).run();
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
}
