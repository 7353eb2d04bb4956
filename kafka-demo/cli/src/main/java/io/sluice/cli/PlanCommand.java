/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.filter.plane.Layout;
import io.sluice.job.Converters;
import io.sluice.plan.Find;
import io.sluice.plan.Plan;
import io.sluice.plan.PlanEngine;
import io.sluice.plan.PlanRequest;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.apache.flink.configuration.MemorySize;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice plan}. */
@Command(
        name = "plan",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Says what deduplication of a stream takes: memory, checkpoints, cores. Leave out"
                        + " --memory to find it; give it and leave out --within or"
                        + " --ids-per-second to find what fits; give all to have them checked"
                        + " (exit code 1 if they do not fit). Runs nothing.")
final class PlanCommand implements Callable<Integer> {

    @Option(
            names = "--engine",
            paramLabel = "ENGINE",
            description =
                    "OPERATOR: the filters of Deduplicate and IdempotentCounters. CASCADE: the"
                            + " state backend. Default: CASCADE with --keys, otherwise OPERATOR.")
    private PlanEngine engine;

    @Option(
            names = "--ids-per-second",
            paramLabel = "N",
            description = "New ids of the whole stream.")
    private Long idsPerSecond;

    @Option(
            names = "--records-per-second",
            paramLabel = "N",
            description = "Duplicates included, for the cores. Default: --ids-per-second.")
    private Double recordsPerSecond;

    @Option(
            names = "--within",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description =
                    "How long after the first a duplicate is recognised. With CASCADE the"
                            + " time-to-live of the state.")
    private Duration window;

    @Option(
            names = "--keys",
            paramLabel = "N",
            description = "Keys that the state backend holds in the end, for ever.")
    private Long keys;

    @Option(
            names = "--fpp",
            paramLabel = "P",
            description = "Probability of taking a new id for a duplicate. Default: 1e-6.")
    private Double fpp;

    @Option(
            names = "--max-fpp",
            paramLabel = "P",
            description = "What it may rise to under pressure. Default: ten times --fpp.")
    private Double maxFpp;

    @Option(
            names = "--layout",
            converter = Converters.OfLayout.class,
            completionCandidates = Converters.Layouts.class,
            paramLabel = "LAYOUT",
            description = "Of the operator's filters: ${COMPLETION-CANDIDATES}. Default: smallest.")
    private Layout layout;

    @Option(
            names = "--contents",
            description = "The contents of duplicates are compared, as by onConflict(...).")
    private boolean contents;

    @Option(
            names = "--parallelism",
            defaultValue = "1",
            paramLabel = "N",
            description = "Subtasks. Default: ${DEFAULT-VALUE}.")
    private int parallelism;

    @Option(
            names = "--max-parallelism",
            paramLabel = "N",
            description = "Key groups. Default: what Flink chooses for --parallelism.")
    private Integer maxParallelism;

    @Option(
            names = "--memory",
            converter = Converters.OfMemorySize.class,
            paramLabel = "SIZE",
            description =
                    "Of one subtask: the cap of its filters; with CASCADE the managed memory of a"
                            + " slot.")
    private MemorySize memory;

    @Option(
            names = "--find",
            paramLabel = "WHAT",
            description =
                    "What to find though the rest does not say: ${COMPLETION-CANDIDATES}. FPP and"
                            + " PARALLELISM are found only if asked for.")
    private Find find;

    @Option(
            names = "--nanos-per-record",
            paramLabel = "NS",
            description =
                    "Processor time of a record from source to sink, for the cores. Default: as"
                            + " measured in docs/benchmarks, 450 and 900.")
    private Double nanosPerRecord;

    @Mixin private Json json;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        Plan plan =
                new PlanRequest(
                                engine,
                                find,
                                idsPerSecond,
                                recordsPerSecond,
                                window,
                                keys,
                                fpp,
                                maxFpp,
                                layout,
                                contents,
                                parallelism,
                                maxParallelism,
                                memory,
                                nanosPerRecord)
                        .plan();
        json.print(spec.commandLine().getOut(), plan, PlanCommand::print);
        return plan.fits() ? Failures.OK : Failures.VERDICT_FAILED;
    }

    private static void print(Plan plan, PrintWriter out) {
        plan.lines().forEach(line -> out.printf("%-15s %s%n", line.name(), line.text()));
    }
}
