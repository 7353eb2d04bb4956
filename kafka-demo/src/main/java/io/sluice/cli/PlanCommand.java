/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.filter.plane.Layout;
import io.sluice.filter.window.WindowOptions;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.WindowedOptions;
import io.sluice.job.Converters;
import io.sluice.plan.CascadePlan;
import io.sluice.plan.Find;
import io.sluice.plan.WindowPlan;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
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
                        + " --memory to find it; give it and leave out --window or"
                        + " --ids-per-second to find what fits; give all to have them checked"
                        + " (exit code 1 if they do not fit). Runs nothing.")
final class PlanCommand implements Callable<Integer> {

    /** Where ids are kept. */
    enum Engine {
        OPERATOR,
        CASCADE
    }

    @Option(
            names = "--engine",
            paramLabel = "ENGINE",
            description =
                    "OPERATOR: the filters of Deduplicate and IdempotentCounters. CASCADE: the"
                            + " state backend. Default: CASCADE with --keys, otherwise OPERATOR.")
    private Engine engine;

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
            names = "--window",
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
    private double fpp = WindowedOptions.FALSE_POSITIVE_PROBABILITY.defaultValue();

    @Option(
            names = "--max-fpp",
            paramLabel = "P",
            description = "What it may rise to under pressure. Default: ten times --fpp.")
    private Double maxFpp;

    @Option(
            names = "--layout",
            paramLabel = "LAYOUT",
            description = "Of the operator's filters: ${COMPLETION-CANDIDATES}. Default: smallest.")
    private Layout layout;

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
        require(idsPerSecond == null || idsPerSecond >= 1, "--ids-per-second must be at least 1");
        require(keys == null || keys >= 1, "--keys must be at least 1");
        require(
                fpp >= WindowOptions.MIN_FPP && fpp <= WindowSettings.MAX_FPP,
                "--fpp must be from 1e-12 to 0.25: 1e-6 drops one new id in a million");
        require(maxFpp == null || (maxFpp >= fpp && maxFpp < 1), "--max-fpp is below --fpp");
        int most = KeyGroupRangeAssignment.UPPER_BOUND_MAX_PARALLELISM;
        require(parallelism >= 1 && parallelism <= most, "--parallelism must be from 1 to " + most);
        int keyGroups =
                maxParallelism != null
                        ? maxParallelism
                        : KeyGroupRangeAssignment.computeDefaultMaxParallelism(parallelism);
        require(
                keyGroups >= parallelism && keyGroups <= most,
                "--max-parallelism must be from --parallelism to " + most);
        require(
                window == null
                        || (window.toMillis() >= 1
                                && window.compareTo(WindowSettings.MAX_WINDOW) <= 0),
                "--window must be from 1 ms to " + WindowSettings.MAX_WINDOW.toDays() + " d");
        Engine where = engine != null ? engine : keys != null ? Engine.CASCADE : Engine.OPERATOR;
        return where == Engine.CASCADE ? cascade(keyGroups) : window(keyGroups);
    }

    private int window(int keyGroups) {
        require(keys == null, "--keys is for --engine cascade: leave it out, or change --engine");
        Find what = find != null ? find : missing();
        require(what != Find.KEYS, "--find keys is for --engine cascade");
        require(
                what == Find.WINDOW || window != null,
                "--window is missing: give it, or --memory and --find window");
        require(
                what == Find.RATE || idsPerSecond != null,
                "--ids-per-second is missing: give it, or --memory and --find rate");
        require(what == Find.MEMORY || memory != null, "--memory is missing: give the cap");
        require(
                memory == null || memory.compareTo(WindowSettings.MIN_MEMORY) >= 0,
                "--memory must be at least 1mb");
        WindowSettings settings =
                new WindowSettings(
                        window == null ? Duration.ofHours(1) : window,
                        fpp,
                        idsPerSecond == null ? 1 : idsPerSecond,
                        memory == null ? WindowSettings.MIN_MEMORY : memory,
                        WindowedOptions.ON_OVERFLOW.defaultValue(),
                        WindowedOptions.TIME_DOMAIN.defaultValue(),
                        false,
                        WindowedOptions.SHADOW_IDS.defaultValue(),
                        null,
                        false,
                        maxFpp,
                        layout);
        WindowPlan plan =
                WindowPlan.find(
                        settings,
                        parallelism,
                        keyGroups,
                        what,
                        recordsPerSecond == null ? 0 : recordsPerSecond,
                        nanosPerRecord == null ? WindowPlan.CORE_NANOS_PER_RECORD : nanosPerRecord);
        PrintWriter out = spec.commandLine().getOut();
        json.print(out, plan, PlanText::print);
        return plan.fits() ? Failures.OK : Failures.VERDICT_FAILED;
    }

    private Find missing() {
        if (memory == null) {
            return Find.MEMORY;
        }
        if (window == null) {
            return Find.WINDOW;
        }
        return idsPerSecond == null ? Find.RATE : Find.NOTHING;
    }

    private int cascade(int keyGroups) {
        require(
                find == null || find == Find.KEYS || find == Find.MEMORY,
                "--find must be keys or memory with --engine cascade");
        Double rate = idsPerSecond == null ? null : Double.valueOf(idsPerSecond);
        CascadePlan.Given given =
                new CascadePlan.Given(
                        fpp,
                        parallelism,
                        keyGroups,
                        rate,
                        window,
                        nanosPerRecord == null
                                ? CascadePlan.CORE_NANOS_PER_RECORD
                                : nanosPerRecord);
        boolean isKnown = keys != null || (rate != null && window != null);
        CascadePlan plan;
        if (find == Find.KEYS || (find == null && !isKnown)) {
            require(
                    memory != null,
                    "--keys is missing: give it, or --ids-per-second and --window, or --memory to"
                            + " find how many fit");
            plan = CascadePlan.forMemory(given, memory.getBytes());
        } else {
            require(isKnown, "--keys is missing: give it, or --ids-per-second and --window");
            plan =
                    CascadePlan.forKeys(
                            given,
                            keys != null ? keys : Math.max(1, given.keysAtTheRate()),
                            memory == null || find == Find.MEMORY
                                    ? null
                                    : Long.valueOf(memory.getBytes()));
        }
        json.print(spec.commandLine().getOut(), plan, PlanText::print);
        return plan.fits() ? Failures.OK : Failures.VERDICT_FAILED;
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
