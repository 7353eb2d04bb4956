/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.filter.plane.Layout;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.WindowedBuilder;
import io.sluice.flink.WindowedOptions;
import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.job.JobSummary.Trouble;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.configuration.MemorySize;
import picocli.CommandLine.Option;

/** The options of the filters in which a job remembers ids for a window. */
public final class FilterArguments {
    public static final String FPP = "--fpp";
    public static final String MAX_FPP = "--max-fpp";
    public static final String LAYOUT = "--layout";
    public static final String HASH_SEED = "--hash-seed";
    public static final String EXPECTING = "--expecting";
    public static final String MEMORY = "--memory";
    public static final String ON_OVERFLOW = "--on-overflow";

    private static final long DEFAULT_EXPECTING = 10_000;

    @Option(
            names = FPP,
            paramLabel = "P",
            description =
                    "Probability of taking a new id for one that was seen. Default:"
                            + " ${DEFAULT-VALUE}.")
    public double fpp = WindowedOptions.FALSE_POSITIVE_PROBABILITY.defaultValue();

    @Option(
            names = MAX_FPP,
            paramLabel = "P",
            description =
                    "The highest value that this may reach when rate and window need more than"
                            + " --memory, before the oldest ids are forgotten early. Default: ten"
                            + " times --fpp.")
    @Nullable
    Double maxFpp;

    @Option(
            names = LAYOUT,
            converter = Converters.OfLayout.class,
            completionCandidates = Converters.Layouts.class,
            paramLabel = "LAYOUT",
            description =
                    "How ids are laid out in the filters: ${COMPLETION-CANDIDATES}; may be changed"
                            + " at a restore. Default: FINGERPRINTS or QUOTIENT, whichever takes"
                            + " less memory for --fpp.")
    @Nullable
    Layout layout;

    @Option(
            names = HASH_SEED,
            paramLabel = "N",
            description =
                    "Seed of the hash of ids, any number, the same across restarts. With the job's"
                            + " own seed, nobody who chooses ids can choose some that collide. A"
                            + " secret. Default: a public one.")
    @Nullable
    Long hashSeed;

    @Option(
            names = EXPECTING,
            paramLabel = "N",
            description =
                    "New ids per second, to size the filters, which adapt. Default:"
                            + " ${DEFAULT-VALUE}.")
    long expecting = DEFAULT_EXPECTING;

    @Option(
            names = MEMORY,
            converter = Converters.OfMemorySize.class,
            paramLabel = "SIZE",
            description = "Cap on the filters of one subtask. Default: ${DEFAULT-VALUE}.")
    public MemorySize memory = WindowedOptions.MEMORY.defaultValue();

    @Option(
            names = ON_OVERFLOW,
            paramLabel = "POLICY",
            description =
                    "What gives when rate, window and fpp need more than that:"
                            + " ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    OverflowPolicy onOverflow = WindowedOptions.ON_OVERFLOW.defaultValue();

    /**
     * Checks the probabilities.
     *
     * @throws IllegalArgumentException if one is out of range
     */
    public void check() {
        if (!(fpp >= WindowOptions.MIN_FPP && fpp <= WindowSettings.MAX_FPP)) {
            throw new IllegalArgumentException(
                    FPP
                            + " must be at least "
                            + WindowOptions.MIN_FPP
                            + " and at most "
                            + WindowSettings.MAX_FPP
                            + ", but is "
                            + fpp
                            + ": 1e-6 misses one new id in a million");
        }
        if (maxFpp != null && !(maxFpp >= fpp && maxFpp < 1)) {
            throw new IllegalArgumentException(
                    MAX_FPP
                            + " must be at least --fpp, which is "
                            + fpp
                            + ", and below 1, but is "
                            + maxFpp
                            + ": equal to it, only the window gives when --memory does not"
                            + " suffice");
        }
    }

    /**
     * Checks that no option is given that only filters with a window have.
     *
     * @throws IllegalArgumentException naming the option and {@code without}, which has none
     */
    public void requireNoneOfAWindow(String without) {
        requireNot(maxFpp != null, MAX_FPP, without);
        requireNot(layout != null, LAYOUT, without);
        requireNot(hashSeed != null, HASH_SEED, without);
        requireNot(onOverflow != WindowedOptions.ON_OVERFLOW.defaultValue(), ON_OVERFLOW, without);
        requireNot(expecting != DEFAULT_EXPECTING, EXPECTING, without);
    }

    /**
     * Checks that no option is given.
     *
     * @throws IllegalArgumentException naming the option and {@code without}, which has no filter
     */
    public void requireNone(String without) {
        requireNoneOfAWindow(without);
        double defaultFpp = WindowedOptions.FALSE_POSITIVE_PROBABILITY.defaultValue();
        requireNot(fpp != defaultFpp, FPP, without);
        requireNot(!memory.equals(WindowedOptions.MEMORY.defaultValue()), MEMORY, without);
    }

    private static void requireNot(boolean given, String option, String without) {
        if (given) {
            throw new IllegalArgumentException(
                    option + " has no effect with " + without + ": leave it out");
        }
    }

    /**
     * Checks the probability once more.
     *
     * @throws IllegalArgumentException if it is less than what {@code with} allows
     */
    public void requireAtLeast(double least, String with) {
        if (fpp < least) {
            throw new IllegalArgumentException(
                    FPP + " must be at least " + least + " with " + with + ", but is " + fpp);
        }
    }

    /** Sets all of them in {@code builder}. */
    public <B extends WindowedBuilder<B>> B set(B builder) {
        builder.falsePositiveProbability(fpp)
                .expecting(expecting)
                .memory(memory)
                .onOverflow(onOverflow);
        if (maxFpp != null) {
            builder.maxFalsePositiveProbability(maxFpp);
        }
        if (layout != null) {
            builder.layout(layout);
        }
        if (hashSeed != null) {
            builder.hashSeed(hashSeed);
        }
        return builder;
    }

    /**
     * Returns what a run may have let pass because its filters did not hold enough.
     *
     * @param operator its name
     * @param window the option that says how long ids are remembered
     */
    public List<Trouble> troubles(String operator, String window) {
        return List.of(
                new Trouble(
                        operator,
                        DeduplicateMetrics.OVERFLOWS,
                        "times the filters needed more than --memory ("
                                + memory.toHumanReadableString()
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
