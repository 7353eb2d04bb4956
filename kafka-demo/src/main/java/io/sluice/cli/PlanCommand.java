/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.filter.window.OverflowPolicy;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowSettings;
import io.sluice.job.Converters;
import io.sluice.plan.CascadePlan;
import io.sluice.plan.Find;
import io.sluice.plan.WindowPlan;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import javax.annotation.Nullable;
import org.apache.flink.configuration.MemorySize;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice plan}. */
@Command(
        name = "plan",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Sizes a job before it runs: leave out one of --ids-per-second, --window and --memory,"
                    + " and it is found; give all three, and they are checked. With --forever, ids"
                    + " are kept in the state backend: leave out --keys or --memory.",
            "Exit code 1 if what was given does not fit together."
        })
final class PlanCommand implements Callable<Integer> {
    /** Stands in for what is found. */
    private static final Duration ANY_WINDOW = Duration.ofMinutes(10);

    private static final MemorySize ANY_MEMORY = MemorySize.ofMebiBytes(256);

    @Option(
            names = "--ids-per-second",
            paramLabel = "N",
            description = "New ids a second, of the whole stream.")
    private @Nullable Long idsPerSecond;

    @Option(
            names = "--window",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description = "How long an id is remembered; with --forever, the state's time to live.")
    private @Nullable Duration window;

    @Option(
            names = "--memory",
            converter = Converters.OfMemorySize.class,
            paramLabel = "SIZE",
            description =
                    "Of the filters of one subtask; with --forever, managed memory of a slot.")
    private @Nullable MemorySize memory;

    @Option(
            names = "--fpp",
            defaultValue = "1e-6",
            paramLabel = "P",
            description =
                    "Probability of taking a new id for a known one. Default: ${DEFAULT-VALUE}.")
    private double fpp;

    @Option(
            names = "--parallelism",
            defaultValue = "1",
            paramLabel = "N",
            description = "Subtasks. Default: ${DEFAULT-VALUE}.")
    private int parallelism;

    @Option(
            names = "--max-parallelism",
            defaultValue = "128",
            paramLabel = "N",
            description = "Key groups. Default: ${DEFAULT-VALUE}.")
    private int maxParallelism;

    @Option(
            names = "--find",
            paramLabel = "WHAT",
            description =
                    "FPP or PARALLELISM: the least that fits with everything else, which is then"
                            + " given.")
    private @Nullable Find find;

    @Option(
            names = "--forever",
            description = "Ids are marked in Flink state, on the cascade state backend.")
    private boolean forever;

    @Option(
            names = "--keys",
            paramLabel = "N",
            description = "With --forever: ids that are held at most.")
    private @Nullable Long keys;

    @Option(
            names = "--nanos-per-record",
            paramLabel = "N",
            description =
                    "Processor time of a record, for the number of cores. Default: as measured,"
                            + " 450 with a window and 900 for ever; measure yours.")
    private @Nullable Double nanosPerRecord;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        if (parallelism < 1 || maxParallelism < parallelism || maxParallelism > 32_768) {
            throw new IllegalArgumentException(
                    "--parallelism must be at least 1 and at most --max-parallelism, and that at"
                            + " most 32768, but they are "
                            + parallelism
                            + " and "
                            + maxParallelism);
        }
        PrintWriter out = spec.commandLine().getOut();
        boolean fits = forever ? planForever(out) : planWindow(out);
        out.flush();
        return fits ? Failures.OK : Failures.VERDICT_FAILED;
    }

    private boolean planWindow(PrintWriter out) {
        if (keys != null) {
            throw new IllegalArgumentException("--keys belongs to --forever: leave it out");
        }
        WindowPlan plan =
                WindowPlan.find(
                        settings(),
                        parallelism,
                        maxParallelism,
                        whatToFind(),
                        0,
                        nanosPerRecord == null ? WindowPlan.CORE_NANOS_PER_RECORD : nanosPerRecord);
        if (json) {
            out.println(Numbers.json(plan));
        } else {
            print(plan, out);
        }
        return plan.fits();
    }

    private Find whatToFind() {
        List<Find> missing = new ArrayList<>();
        if (idsPerSecond == null) {
            missing.add(Find.RATE);
        }
        if (window == null) {
            missing.add(Find.WINDOW);
        }
        if (memory == null) {
            missing.add(Find.MEMORY);
        }
        if (find != null) {
            if (find != Find.FPP && find != Find.PARALLELISM) {
                throw new IllegalArgumentException(
                        "--find must be FPP or PARALLELISM, but is "
                                + find
                                + ": leave out the option that is to be found");
            }
            missing.add(find);
        }
        if (missing.size() > 1) {
            throw new IllegalArgumentException(
                    "too little is given: of --ids-per-second, --window and --memory give two, and"
                            + " the third is found; with --find give all three");
        }
        return missing.isEmpty() ? Find.NOTHING : missing.get(0);
    }

    private WindowSettings settings() {
        return new WindowSettings(
                window == null ? ANY_WINDOW : window,
                fpp,
                idsPerSecond == null ? 1 : idsPerSecond,
                memory == null ? ANY_MEMORY : memory,
                OverflowPolicy.FORGET_OLDEST,
                TimeDomain.EVENT,
                false,
                0,
                null,
                false,
                null,
                null);
    }

    private static void print(WindowPlan plan, PrintWriter out) {
        row(out, "ids a second", "%,d".formatted(plan.idsPerSecond()));
        row(out, "window", "%,d ms".formatted(plan.windowMillis()));
        row(
                out,
                "probability",
                "%.3g, %.3g under pressure"
                        .formatted(
                                plan.falsePositiveProbability(),
                                plan.maxFalsePositiveProbability()));
        row(
                out,
                "parallelism",
                "%d of at most %d".formatted(plan.parallelism(), plan.maxParallelism()));
        row(out, "memory of a subtask", Numbers.bytes(plan.memoryBytes()));
        row(
                out,
                "needed of it",
                Numbers.bytes(plan.neededBytes()) + (plan.fits() ? "" : ": does not fit"));
        row(out, "memory of all", Numbers.bytes(plan.totalBytes()));
        row(out, "bytes an id", "%.2f".formatted(plan.bytesPerId()));
        row(out, "each checkpoint", Numbers.bytes(plan.checkpointBytes()));
        row(out, "new ids dropped a day", "%.3g at most".formatted(plan.falseDropsPerDay()));
        row(
                out,
                "cores",
                "%.2f, at %.0f ns a record".formatted(plan.cores(), plan.coreNanosPerRecord()));
        out.println();
        out.println(String.join(" ", plan.options()));
    }

    private boolean planForever(PrintWriter out) {
        if (find != null) {
            throw new IllegalArgumentException("--find is for a window: leave out --forever");
        }
        CascadePlan.Given given =
                new CascadePlan.Given(
                        fpp,
                        parallelism,
                        maxParallelism,
                        idsPerSecond == null ? null : (double) idsPerSecond,
                        window,
                        nanosPerRecord == null
                                ? CascadePlan.CORE_NANOS_PER_RECORD
                                : nanosPerRecord);
        CascadePlan plan;
        if (keys != null || (idsPerSecond != null && window != null)) {
            plan =
                    CascadePlan.forKeys(
                            given,
                            keys == null ? given.keysAtTheRate() : keys,
                            memory == null ? null : memory.getBytes());
        } else if (memory != null) {
            plan = CascadePlan.forMemory(given, memory.getBytes());
        } else {
            throw new IllegalArgumentException(
                    "too little is given: with --forever give --keys, or --ids-per-second and"
                            + " --window, or --memory");
        }
        if (json) {
            out.println(Numbers.json(plan));
        } else {
            print(plan, out);
        }
        return plan.fits();
    }

    private static void print(CascadePlan plan, PrintWriter out) {
        row(out, "keys", "%,d".formatted(plan.keys()));
        row(out, "probability", "%.3g".formatted(plan.falsePositiveProbability()));
        row(
                out,
                "parallelism",
                "%d of at most %d".formatted(plan.parallelism(), plan.maxParallelism()));
        row(out, "managed memory of a slot", Numbers.bytes(plan.managedBytes()));
        row(out, "at least", Numbers.bytes(plan.leastManagedBytes()));
        row(
                out,
                "disk of a subtask",
                "%s, %s while files are merged"
                        .formatted(
                                Numbers.bytes(plan.diskBytes()),
                                Numbers.bytes(plan.mostDiskBytes())));
        row(out, "bytes a key", "%.2f".formatted(plan.bitsPerKey() / 8));
        row(out, "full checkpoint", Numbers.bytes(plan.checkpointBytes()));
        if (plan.falseDropsPerDay() != null) {
            row(out, "new ids dropped a day", "%.3g at most".formatted(plan.falseDropsPerDay()));
        }
        if (plan.cores() != null) {
            row(
                    out,
                    "cores",
                    "%.2f, at %.0f ns a record".formatted(plan.cores(), plan.coreNanosPerRecord()));
        }
        if (!plan.fits()) {
            row(out, "", "the memory does not allow the usual overview: the disk is asked more");
        }
        out.println();
        plan.options().forEach(out::println);
    }

    private static void row(PrintWriter out, String name, String value) {
        out.printf("%-26s %s%n", name, value);
    }
}
