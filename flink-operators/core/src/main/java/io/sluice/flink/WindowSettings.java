/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.filter.plane.Layout;
import java.io.Serializable;
import java.time.Duration;
import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;

/**
 * Window, error and memory of an operator that remembers ids. All options except {@code timeDomain}
 * may change between a savepoint and its restore: ids that are already held stay held, with the
 * error they were stored with, until they are forgotten.
 *
 * @param window how long an id is remembered, at least; 1 ms to {@link #MAX_WINDOW}
 * @param fpp probability of taking a first occurrence for a duplicate; from 1e-12 to {@value
 *     #MAX_FPP}
 * @param idsPerSecond expected rate of new ids of the whole stream, all subtasks together; at least
 *     1. It sizes the first filters; they adapt to the real rate
 * @param memory cap on the bytes of all filters of one subtask. The smallest filter of each key
 *     group, which it has from its first id on, may exceed it: 1.3 KiB each at the default fpp, so
 *     32,768 key groups in one subtask may take 42 MiB
 * @param overflow what gives when rate, window and fpp do not fit into the memory
 * @param timeDomain the clock of forgetting
 * @param forgetDuringDowntime processing time only: whether the job's downtime counts
 * @param shadowIds how many ids of one subtask are at most also kept exactly, to measure the real
 *     error; 0 switches the measurement off
 * @param maxFuture event time only: how far ahead of the wall clock, or of a watermark that is
 *     ahead of it, a timestamp is believed. A record further ahead is decided by its own time, but
 *     forgotten as if it were exactly that far ahead. Null: {@link #DEFAULT_FUTURE}
 * @param resetClock event time only: whether the clock is unknown again after a restore, so that
 *     the next watermark sets it, even to an earlier time
 * @param maxFpp the highest value that fpp may reach when the memory does not suffice, before the
 *     oldest ids are forgotten early; at least fpp and below 1. Null: ten times fpp
 * @param layout how ids lie in the filters. Null: of the layouts that need one cache line per id,
 *     the one that takes the least memory for fpp
 * @param contents whether a filter holds contents beside ids, to be compared: an id then takes
 *     {@value #CONTENT_ENTRIES} entries, and {@value #CONTENT_LOOKUPS} lookups share the
 *     probability
 */
@Internal
public record WindowSettings(
        Duration window,
        double fpp,
        long idsPerSecond,
        MemorySize memory,
        OverflowPolicy overflow,
        TimeDomain timeDomain,
        boolean forgetDuringDowntime,
        int shadowIds,
        @Nullable Duration maxFuture,
        boolean resetClock,
        @Nullable Double maxFpp,
        @Nullable Layout layout,
        boolean contents)
        implements Serializable {

    /** Longer windows are taken for a mistake in the unit; ten years. */
    public static final Duration MAX_WINDOW = Duration.ofDays(3653);

    /** A filter that errs more often than this filters little. */
    public static final double MAX_FPP = 0.25;

    /** What an id and its content take in a filter. */
    public static final int CONTENT_ENTRIES = 2;

    /** How often a filter with contents is asked for an id that is new. */
    public static final int CONTENT_LOOKUPS = 3;

    /** The default of {@code maxFuture}. */
    public static final Duration DEFAULT_FUTURE = Duration.ofHours(1);

    /** Below this the filters' fixed costs leave no room for ids. */
    public static final MemorySize MIN_MEMORY = MemorySize.ofMebiBytes(1);

    /** Larger rates are clamped to this. */
    private static final double MAX_IDS = 0x1p62;

    /** 16 bytes each: 16 MiB a subtask. */
    public static final int MAX_SHADOW_IDS = 1 << 20;

    private static final OptionRange<Duration> WITHIN_RANGE =
            new OptionRange<>(
                    WindowedOptions.WITHIN,
                    Duration.ofMillis(1),
                    MAX_WINDOW,
                    "give the time in which a duplicate may follow its first");

    private static final OptionRange<Double> FPP_RANGE =
            new OptionRange<>(
                    WindowedOptions.FALSE_POSITIVE_PROBABILITY,
                    WindowOptions.MIN_FPP,
                    MAX_FPP,
                    "1e-6 drops one first occurrence in a million");

    private static final OptionRange<Long> EXPECTING_RANGE =
            new OptionRange<>(
                    WindowedOptions.EXPECTING,
                    1L,
                    null,
                    "give the new ids per second of the whole stream");

    private static final OptionRange<Integer> SHADOW_RANGE =
            new OptionRange<>(
                    WindowedOptions.SHADOW_IDS,
                    0,
                    MAX_SHADOW_IDS,
                    "a few thousand are enough for a confidence interval, and 0 switches the"
                            + " measurement off");

    private static final OptionRange<Duration> FUTURE_RANGE =
            new OptionRange<>(
                    WindowedOptions.MAX_FUTURE,
                    Duration.ZERO,
                    MAX_WINDOW,
                    "give how far ahead of the wall clock a timestamp may be");

    /** As the canonical one, without contents. */
    public WindowSettings(
            Duration window,
            double fpp,
            long idsPerSecond,
            MemorySize memory,
            OverflowPolicy overflow,
            TimeDomain timeDomain,
            boolean forgetDuringDowntime,
            int shadowIds,
            @Nullable Duration maxFuture,
            boolean resetClock,
            @Nullable Double maxFpp,
            @Nullable Layout layout) {
        this(
                window,
                fpp,
                idsPerSecond,
                memory,
                overflow,
                timeDomain,
                forgetDuringDowntime,
                shadowIds,
                maxFuture,
                resetClock,
                maxFpp,
                layout,
                false);
    }

    public WindowSettings {
        requireNonNull(window, "window");
        requireNonNull(memory, "memory");
        requireNonNull(overflow, "overflow");
        requireNonNull(timeDomain, "timeDomain");
        WITHIN_RANGE.check(window);
        FPP_RANGE.check(fpp);
        EXPECTING_RANGE.check(idsPerSecond);
        if (memory.compareTo(MIN_MEMORY) < 0) {
            // As texts: the calculator of the site has no MemorySize.toString().
            throw new OptionException(
                    WindowedOptions.MEMORY,
                    " must be at least ",
                    MIN_MEMORY.getMebiBytes() + "mb",
                    ", but is ",
                    memory.getBytes() + " bytes",
                    ": raise it.");
        }
        SHADOW_RANGE.check(shadowIds);
        if (maxFuture != null) {
            FUTURE_RANGE.check(maxFuture);
        }
        if (maxFpp != null && !(maxFpp >= fpp && maxFpp < 1)) {
            throw new OptionException(
                    WindowedOptions.MAX_FALSE_POSITIVE_PROBABILITY,
                    " must be at least ",
                    WindowedOptions.FALSE_POSITIVE_PROBABILITY,
                    ", which is ",
                    String.valueOf(fpp),
                    ", and below 1, but is ",
                    String.valueOf(maxFpp),
                    ": equal to it, only the window gives when the memory does not suffice.");
        }
        requireDomain(
                maxFuture == null ? null : TimeDomain.EVENT,
                timeDomain,
                WindowedOptions.MAX_FUTURE,
                "timestamps have no part in the other clock");
        requireDomain(
                resetClock ? TimeDomain.EVENT : null,
                timeDomain,
                WindowedOptions.RESET_CLOCK,
                "no watermark can have put the other clock wrong");
        requireDomain(
                forgetDuringDowntime ? TimeDomain.PROCESSING : null,
                timeDomain,
                WindowedOptions.FORGET_DURING_DOWNTIME,
                "the watermark is the other clock, and it stands still while the job is down");
    }

    private static void requireDomain(
            @Nullable TimeDomain needed, TimeDomain is, ConfigOption<?> option, String why) {
        if (needed != null && needed != is) {
            throw new OptionException(
                    option,
                    " needs ",
                    new OptionException.Setting(WindowedOptions.TIME_DOMAIN, needed),
                    ", but ",
                    WindowedOptions.TIME_DOMAIN,
                    " is ",
                    is.name(),
                    ": ",
                    why,
                    ".");
        }
    }

    /**
     * The settings that a configuration has.
     *
     * @throws OptionException if one is out of range, or at odds with another
     */
    public static WindowSettings of(ReadableConfig options, Duration window) {
        Optional<Double> budget = MissedPerDay.probability(options);
        return new WindowSettings(
                window,
                budget.orElse(options.get(WindowedOptions.FALSE_POSITIVE_PROBABILITY)),
                options.get(WindowedOptions.EXPECTING),
                options.get(WindowedOptions.MEMORY),
                options.get(WindowedOptions.ON_OVERFLOW),
                options.get(WindowedOptions.TIME_DOMAIN),
                options.get(WindowedOptions.FORGET_DURING_DOWNTIME),
                options.get(WindowedOptions.SHADOW_IDS),
                options.getOptional(WindowedOptions.MAX_FUTURE).orElse(null),
                options.get(WindowedOptions.RESET_CLOCK),
                options.getOptional(WindowedOptions.MAX_FALSE_POSITIVE_PROBABILITY)
                        .or(() -> budget)
                        .orElse(null),
                options.getOptional(WindowedOptions.LAYOUT).orElse(null));
    }

    /** Returns the window in milliseconds. */
    public long windowMillis() {
        return window.toMillis();
    }

    /**
     * Returns how far ahead of the wall clock, or of a watermark that is ahead of it, a timestamp
     * is believed, in milliseconds.
     */
    public long maxFutureMillis() {
        return (maxFuture != null ? maxFuture : DEFAULT_FUTURE).toMillis();
    }

    /**
     * Returns the latest time that is believed of a record when it is {@code clock}; unlimited if
     * that is not known.
     */
    public long latestTime(long clock) {
        if (clock == Long.MIN_VALUE) {
            return Long.MAX_VALUE;
        }
        long ahead = maxFutureMillis();
        return clock > Long.MAX_VALUE - ahead ? Long.MAX_VALUE : clock + ahead;
    }

    /**
     * Returns the options of the filter of one key group.
     *
     * @param keyGroups the maximum parallelism, at least 1
     */
    public WindowOptions windowOptions(int keyGroups) {
        return windowOptionsFor((double) idsPerWindowAndKeyGroup(keyGroups));
    }

    /** Returns the same with contents beside the ids, or without. */
    public WindowSettings withContents(boolean held) {
        return with(fpp, maxFpp, held);
    }

    /** Returns the options of a filter that gets this many ids in a window. */
    public WindowOptions windowOptionsFor(double idsPerWindow) {
        WindowOptions.Builder builder =
                WindowOptions.builder()
                        .windowMillis(windowMillis())
                        .falsePositiveProbability(ofLookup(fpp))
                        .expectedPerWindow(
                                number(contents ? CONTENT_ENTRIES * idsPerWindow : idsPerWindow))
                        .onOverflow(overflow)
                        .maxFutureMillis(maxFutureMillis())
                        .clockOfCaller();
        if (maxFpp != null) {
            builder.maxFalsePositiveProbability(ofLookup(maxFpp));
        }
        if (layout != null) {
            builder.layout(layout);
        }
        return builder.build();
    }

    /** Below the least probability of a filter nothing is divided. */
    private double ofLookup(double probability) {
        return contents
                ? Math.max(WindowOptions.MIN_FPP, probability / CONTENT_LOOKUPS)
                : probability;
    }

    /** Returns the same with another probability, and a greatest one that is not below it. */
    public WindowSettings withFpp(double other) {
        return with(
                other, maxFpp == null ? null : Double.valueOf(Math.max(maxFpp, other)), contents);
    }

    /**
     * Returns the same with all probabilities divided by {@code lookups}, which one decision takes.
     */
    public WindowSettings dividedBy(int lookups) {
        return with(
                fpp / lookups, maxFpp == null ? null : Double.valueOf(maxFpp / lookups), contents);
    }

    private WindowSettings with(
            double otherFpp, @Nullable Double otherMaxFpp, boolean otherContents) {
        return new WindowSettings(
                window,
                otherFpp,
                idsPerSecond,
                memory,
                overflow,
                timeDomain,
                forgetDuringDowntime,
                shadowIds,
                maxFuture,
                resetClock,
                otherMaxFpp,
                layout,
                otherContents);
    }

    /**
     * New ids that one key group is expected to see within a window; at least 1.
     *
     * @param keyGroups the maximum parallelism, at least 1
     */
    public long idsPerWindowAndKeyGroup(int keyGroups) {
        double ids = (double) idsPerSecond * windowMillis() / 1000.0 / keyGroups;
        return number(ids);
    }

    private static long number(double ids) {
        return Math.max(1, (long) Math.ceil(Math.min(ids, MAX_IDS)));
    }
}
