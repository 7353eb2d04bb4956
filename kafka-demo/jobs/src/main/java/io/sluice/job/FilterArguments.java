/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.filter.plane.Layout;
import io.sluice.flink.OptionRange;
import io.sluice.flink.WindowedOptions;
import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.job.JobSummary.Trouble;
import java.util.List;
import org.apache.flink.configuration.MemorySize;

/** The options of the filters in which a job remembers ids for a window. */
public final class FilterArguments {
    public static final String WITHIN = "--within";
    public static final String FPP = "--fpp";
    public static final String EXPECTING = "--expecting";
    public static final String MEMORY = "--memory";

    /** All of them; topics have more ids than streams in general. */
    public static final List<OperatorArgument<?>> ALL =
            List.of(
                    OperatorArgument.of(
                            FPP, "P", WindowedOptions.FALSE_POSITIVE_PROBABILITY, Double.class),
                    OperatorArgument.of(
                            "--max-fpp",
                            "P",
                            WindowedOptions.MAX_FALSE_POSITIVE_PROBABILITY,
                            Double.class),
                    OperatorArgument.of(
                            "--max-missed-per-day",
                            "N",
                            WindowedOptions.MAX_MISSED_PER_DAY,
                            Double.class),
                    OperatorArgument.of("--layout", "LAYOUT", WindowedOptions.LAYOUT, Layout.class),
                    OperatorArgument.of("--hash-seed", "N", WindowedOptions.HASH_SEED, Long.class),
                    OperatorArgument.of(EXPECTING, "N", WindowedOptions.EXPECTING, Long.class)
                            .withDefault(10_000L),
                    OperatorArgument.of(MEMORY, "SIZE", WindowedOptions.MEMORY, MemorySize.class),
                    OperatorArgument.of(
                            "--on-overflow",
                            "POLICY",
                            WindowedOptions.ON_OVERFLOW,
                            OverflowPolicy.class));

    private FilterArguments() {}

    /**
     * Returns what a run may have let pass because its filters did not hold enough.
     *
     * @param operator its name
     * @param options of the operator
     * @param window the option that says how long ids are remembered
     */
    public static List<Trouble> troubles(
            String operator, OperatorArguments options, String window) {
        return List.of(
                new Trouble(
                        operator,
                        DeduplicateMetrics.OVERFLOWS,
                        "times the filters needed more than --memory ("
                                + OptionRange.text(options.get(WindowedOptions.MEMORY))
                                + ") and forgot ids early, so duplicates may have passed: raise it,"
                                + " or shorten "
                                + window),
                new Trouble(
                        operator,
                        DeduplicateMetrics.UNDECIDED,
                        "records passed that may repeat others: those had left the window, or were"
                                + " forgotten early; give more --out-of-orderness or --memory"));
    }
}
