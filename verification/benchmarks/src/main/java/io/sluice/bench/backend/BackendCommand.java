/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.backend;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.BenchCommand;
import java.nio.file.Files;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench backend}: one deduplicating job after another, on each state backend. */
@Command(
        name = "backend",
        mixinStandardHelpOptions = true,
        description = {
            "Deduplication with ValueState and with SQL on the cascade state backend, beside"
                + " hashmap, RocksDB, ForSt, a keyed map that does nothing and one that only reads"
                + " and changes a random word: object reuse, 10 %% duplicates, checkpoints to local"
                + " disk."
        })
public final class BackendCommand extends BenchCommand {
    @Option(
            names = "--records",
            paramLabel = "N",
            description =
                    "Records of the cascade and the limits (default: 22000000, quick 8000000).")
    private long records;

    @Option(
            names = "--state-records",
            paramLabel = "N",
            description = "Records of Flink's own backends (default: 22000000, quick 1000000).")
    private long stateRecords;

    @Option(
            names = "--largest",
            paramLabel = "N",
            description =
                    "Records of the cascade's largest trial with growing numbers (default:"
                            + " 110000000, quick none).")
    private long largest;

    @Option(
            names = "--halvings",
            paramLabel = "N",
            defaultValue = "4",
            description =
                    "How often the largest number of records is halved for the smaller trials"
                            + " (default: ${DEFAULT-VALUE}).")
    private int halvings;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description =
                    "Rounds of the cascade and the limits (default: 3, quick 1). Flink's own"
                            + " backends take part only in the first. 0: only growing numbers.")
    private Integer rounds;

    @Option(
            names = "--checkpoint-seconds",
            paramLabel = "N",
            defaultValue = "10",
            description = "Between two checkpoints (default: ${DEFAULT-VALUE}).")
    private int checkpointSeconds;

    @Option(
            names = "--engines",
            paramLabel = "E,...",
            split = ",",
            description =
                    "Engines to run: ${COMPLETION-CANDIDATES} (default: all; quick: all but RocksDB"
                            + " with more memory).")
    private Set<Engine> engines;

    @Option(
            names = "--apis",
            paramLabel = "A,...",
            split = ",",
            description = "How jobs are written: ${COMPLETION-CANDIDATES} (default: all).")
    private Set<Trial.Api> apis;

    private BenchReport report;
    private BackendFigures figures;

    @Override
    protected void measure(BenchReport report) throws Exception {
        this.report = report;
        figures = new BackendFigures(report);
        boolean quick = report.quick();
        long fast = records > 0 ? records : quick ? 8_000_000 : 22_000_000;
        long slow = stateRecords > 0 ? stateRecords : quick ? 1_000_000 : 22_000_000;
        int turns = rounds != null ? rounds : quick ? 1 : 3;
        boolean grows = largest > 0 || !quick;
        if (turns < 0 || (turns == 0 && !grows)) {
            throw new IllegalArgumentException(
                    "--rounds must be at least 0, and with 0 there is nothing to run without"
                            + " --largest, got "
                            + turns);
        }
        if (halvings < 0 || halvings > 20) {
            throw new IllegalArgumentException(
                    "--halvings must be between 0 and 20, got " + halvings);
        }
        TrialPlan plan =
                new TrialPlan(
                        quick,
                        fast,
                        slow,
                        engines == null ? TrialPlan.usual(quick) : EnumSet.copyOf(engines),
                        apis == null ? EnumSet.allOf(Trial.Api.class) : EnumSet.copyOf(apis));
        warmUp(plan);
        for (int round = 1; round <= turns; round++) {
            for (Trial trial : plan.oneRound()) {
                if (round == 1 || !trial.engine().isSlow()) {
                    measure(trial, round);
                }
            }
        }
        if (grows) {
            for (Trial trial : plan.growing(slow, largest > 0 ? largest : 110_000_000, halvings)) {
                measure(trial, 1);
            }
        }
        figures.report();
        Optional<String> picture = BesideRocksDb.picture(report.figures());
        if (picture.isPresent()) {
            Files.writeString(report.directory().resolve(BesideRocksDb.FILE), picture.get());
        }
    }

    /** Keeps the first engine from paying for the compilation of shared code. */
    private void warmUp(TrialPlan plan) throws Exception {
        for (Engine engine : List.of(Engine.NOOP, Engine.CASCADE)) {
            if (plan.engines().contains(engine)) {
                Trial trial =
                        new Trial(
                                Trial.Api.DATASTREAM,
                                Trial.IdKind.LONG,
                                2,
                                engine,
                                Math.min(plan.fast(), 2_000_000),
                                false);
                TrialRun.run(trial, 0, Duration.ofSeconds(checkpointSeconds));
            }
        }
    }

    private void measure(Trial trial, int round) throws Exception {
        TrialResult result = TrialRun.run(trial, round, Duration.ofSeconds(checkpointSeconds));
        figures.add(result);
        report.progress(
                "    %-22s %-22s round %d: %,12.0f records/s, %6.2f bytes a key, sync %d" + " ms",
                trial.group(),
                trial.engine().title(),
                round,
                result.recordsPerSecond(),
                result.bytesPerKey(),
                result.longestSyncMillis());
    }
}
