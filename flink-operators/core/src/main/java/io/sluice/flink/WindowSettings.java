/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.filter.plane.Layout;
import java.io.Serializable;
import java.time.Duration;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.MemorySize;

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
        @Nullable Layout layout)
        implements Serializable {

    /** Longer windows are taken for a mistake in the unit; ten years. */
    public static final Duration MAX_WINDOW = Duration.ofDays(3653);

    /** A filter that errs more often than this filters little. */
    public static final double MAX_FPP = 0.25;

    /** The default of {@code maxFuture}. */
    public static final Duration DEFAULT_FUTURE = Duration.ofHours(1);

    /** Below this the filters' fixed costs leave no room for ids. */
    public static final MemorySize MIN_MEMORY = MemorySize.ofMebiBytes(1);

    /** Larger rates are clamped to this. */
    private static final double MAX_IDS = 0x1p62;

    /** 16 bytes each: 16 MiB a subtask. */
    public static final int MAX_SHADOW_IDS = 1 << 20;

    public WindowSettings {
        requireNonNull(window, "window");
        requireNonNull(memory, "memory");
        requireNonNull(overflow, "overflow");
        requireNonNull(timeDomain, "timeDomain");
        if (window.compareTo(Duration.ofMillis(1)) < 0 || window.compareTo(MAX_WINDOW) > 0) {
            throw new IllegalArgumentException(
                    "within must be at least 1 ms and at most "
                            + MAX_WINDOW.toDays()
                            + " days, but is "
                            + window
                            + ": give the time in which a duplicate may follow its first.");
        }
        if (!(fpp >= WindowOptions.MIN_FPP && fpp <= MAX_FPP)) {
            throw new IllegalArgumentException(
                    "falsePositiveProbability must be at least "
                            + WindowOptions.MIN_FPP
                            + " and at most "
                            + MAX_FPP
                            + ", but is "
                            + fpp
                            + ": 1e-6 drops one first occurrence in a million.");
        }
        if (maxFpp != null && !(maxFpp >= fpp && maxFpp < 1)) {
            throw new IllegalArgumentException(
                    "maxFalsePositiveProbability must be at least falsePositiveProbability, which"
                            + " is "
                            + fpp
                            + ", and below 1, but is "
                            + maxFpp
                            + ": equal to it, only the window gives when the memory does not"
                            + " suffice.");
        }
        if (idsPerSecond < 1) {
            throw new IllegalArgumentException(
                    "expecting must be at least 1 id per second, but is "
                            + idsPerSecond
                            + ": give the new ids per second of the whole stream.");
        }
        if (memory.compareTo(MIN_MEMORY) < 0) {
            throw new IllegalArgumentException(
                    "memory must be at least "
                            + MIN_MEMORY.getMebiBytes()
                            + "mb per subtask, but is "
                            + memory.getBytes()
                            + " bytes: raise it.");
        }
        if (shadowIds < 0 || shadowIds > MAX_SHADOW_IDS) {
            throw new IllegalArgumentException(
                    "shadowIds must be 0 (off) to "
                            + MAX_SHADOW_IDS
                            + ", but is "
                            + shadowIds
                            + ": a few thousand are enough for a confidence interval.");
        }
        if (maxFuture != null && (maxFuture.isNegative() || maxFuture.compareTo(MAX_WINDOW) > 0)) {
            throw new IllegalArgumentException(
                    "maxFuture must be at least 0 and at most "
                            + MAX_WINDOW.toDays()
                            + " days, but is "
                            + maxFuture
                            + ": give how far ahead of the wall clock a timestamp may be.");
        }
        if (maxFuture != null && timeDomain == TimeDomain.PROCESSING) {
            throw new IllegalArgumentException(
                    "maxFuture needs timeDomain(EVENT), but timeDomain is PROCESSING: processing"
                            + " time does not use timestamps.");
        }
        if (resetClock && timeDomain == TimeDomain.PROCESSING) {
            throw new IllegalArgumentException(
                    "resetClock needs timeDomain(EVENT), but timeDomain is PROCESSING: no watermark"
                            + " can have put the clock wrong.");
        }
        if (forgetDuringDowntime && timeDomain == TimeDomain.EVENT) {
            throw new IllegalArgumentException(
                    "forgetDuringDowntime needs timeDomain(PROCESSING), but timeDomain is EVENT:"
                        + " the watermark is the clock there, and it stands still while the job is"
                        + " down.");
        }
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

    /** Returns the options of a filter that gets this many ids in a window. */
    public WindowOptions windowOptionsFor(double idsPerWindow) {
        WindowOptions.Builder builder =
                WindowOptions.builder()
                        .windowMillis(windowMillis())
                        .falsePositiveProbability(fpp)
                        .expectedPerWindow(number(idsPerWindow))
                        .onOverflow(overflow)
                        .maxFutureMillis(maxFutureMillis())
                        .clockOfCaller();
        if (maxFpp != null) {
            builder.maxFalsePositiveProbability(maxFpp);
        }
        if (layout != null) {
            builder.layout(layout);
        }
        return builder.build();
    }

    /** Returns the same with another probability, and a greatest one that is not below it. */
    public WindowSettings withFpp(double other) {
        return new WindowSettings(
                window,
                other,
                idsPerSecond,
                memory,
                overflow,
                timeDomain,
                forgetDuringDowntime,
                shadowIds,
                maxFuture,
                resetClock,
                maxFpp == null ? null : Double.valueOf(Math.max(maxFpp, other)),
                layout);
    }

    /**
     * Returns the same with all probabilities divided by {@code lookups}, which one decision takes.
     */
    public WindowSettings dividedBy(int lookups) {
        return new WindowSettings(
                window,
                fpp / lookups,
                idsPerSecond,
                memory,
                overflow,
                timeDomain,
                forgetDuringDowntime,
                shadowIds,
                maxFuture,
                resetClock,
                maxFpp == null ? null : Double.valueOf(maxFpp / lookups),
                layout);
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
