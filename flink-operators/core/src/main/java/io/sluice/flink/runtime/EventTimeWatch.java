/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.apache.flink.annotation.Internal;

/**
 * Notices when event time stands still while records come, or has run ahead of the wall clock, and
 * says so at most once a minute. Has no cost per record. Not thread-safe.
 */
@Internal
public final class EventTimeWatch {

    private static final long MIN_STALL_MILLIS = Duration.ofMinutes(1).toMillis();
    private static final long MIN_AHEAD_MILLIS = Duration.ofHours(1).toMillis();
    private static final int STALLS_PER_WINDOW = 4;

    private static final String STALL_ADVICE =
            "ids do not leave the window, and onOverflow decides about ids that do not fit into the"
                    + " option memory. Assign watermarks before the operator, give a source or"
                    + " partition without records withIdleness(...), or choose"
                    + " timeDomain(PROCESSING).";

    /** What to do when event time has run ahead, for operators that have the option for it. */
    public static final String AHEAD_ADVICE =
            "records with correct timestamps are late. Keep wild timestamps out of the watermarks,"
                    + " then start from a savepoint with resetClock()"
                    + " (sluice.window.reset-clock: true): the next watermark sets the clock.";

    private final String operator;
    private final long stallMillis;
    private final long aheadMillis;
    private final MinuteLog stallLog;
    private final MinuteLog aheadLog;
    private final String stallAdvice;
    private final String aheadAdvice;

    private long watermark = Long.MIN_VALUE;
    private boolean ended;

    /** Wall clock when the watermark last moved, or when this watch began. */
    private long movedAt;

    /** Wall clock of the last {@link #check}. */
    private long checkedAt;

    /** Records counted up to the last check. */
    private long records;

    /** A record came after this wall-clock time. */
    private long recordAfter;

    private boolean isAhead;
    private long aheadSince;
    private long stalledFor;
    private long aheadBy;

    /**
     * @param operator how messages name the operator
     * @param windowMillis its window: a stall is noticed after a quarter of it, at least a minute;
     *     running ahead beyond the window, at least an hour
     * @param log where lines go, such as {@code LOG::warn}
     * @param now the wall clock, as in all methods
     */
    public EventTimeWatch(String operator, long windowMillis, Consumer<String> log, long now) {
        this(operator, windowMillis, STALL_ADVICE, AHEAD_ADVICE, log, now);
    }

    /**
     * As above, for an operator with other options.
     *
     * @param stallAdvice what a stall leads to, and what to do
     * @param aheadAdvice what running ahead leads to, and what to do
     */
    public EventTimeWatch(
            String operator,
            long windowMillis,
            String stallAdvice,
            String aheadAdvice,
            Consumer<String> log,
            long now) {
        this.stallAdvice = requireNonNull(stallAdvice, "stallAdvice");
        this.aheadAdvice = requireNonNull(aheadAdvice, "aheadAdvice");
        this.operator = requireNonNull(operator, "operator");
        this.stallMillis = Math.max(windowMillis / STALLS_PER_WINDOW, MIN_STALL_MILLIS);
        this.aheadMillis = Math.max(windowMillis, MIN_AHEAD_MILLIS);
        this.stallLog = new MinuteLog(log);
        this.aheadLog = new MinuteLog(log);
        this.movedAt = now;
        this.checkedAt = now;
        this.recordAfter = now;
    }

    /** A watermark has come. {@code Long.MAX_VALUE} is the end of the input, not a time. */
    public void onWatermark(long timestamp, long now) {
        if (timestamp == Long.MAX_VALUE) {
            ended = true;
        } else if (timestamp > watermark) {
            watermark = timestamp;
            movedAt = now;
        }
    }

    /**
     * Looks at what has happened since the last call; to be called every few seconds.
     *
     * @param recordsSoFar records that came since this began
     * @param clock the latest event time that the operator uses: a watermark, or what was restored;
     *     {@code Long.MIN_VALUE} if there is none
     */
    public void check(long recordsSoFar, long clock, long now) {
        if (recordsSoFar != records) {
            records = recordsSoFar;
            // Not the time of this check: a task that was held up has not checked for a while.
            recordAfter = checkedAt;
        }
        checkedAt = now;
        checkStall(now);
        checkAhead(Math.max(clock, watermark), now);
    }

    private void checkStall(long now) {
        stalledFor = !ended && recordAfter - movedAt >= stallMillis ? now - movedAt : 0;
        if (stalledFor > 0) {
            stallLog.write(now, this::stallMessage);
        }
    }

    private String stallMessage() {
        return "Operator "
                + operator
                + ": event time has stood still since "
                + Instant.ofEpochMilli(movedAt)
                + (watermark == Long.MIN_VALUE ? ", as no watermark has come at all" : "")
                + ", though records come: "
                + stallAdvice;
    }

    private void checkAhead(long clock, long now) {
        // The first comparison keeps the difference from an overflow.
        aheadBy = clock > now && clock - now > aheadMillis ? clock - now : 0;
        if (aheadBy == 0) {
            isAhead = false;
            return;
        }
        if (!isAhead) {
            isAhead = true;
            aheadSince = now;
        }
        aheadLog.write(now, () -> aheadMessage(clock));
    }

    private String aheadMessage(long clock) {
        return "Operator "
                + operator
                + ": event time has run ahead of the wall clock by "
                + Duration.ofMillis(aheadBy)
                + ", noticed at "
                + Instant.ofEpochMilli(aheadSince)
                + ": it is at "
                + Instant.ofEpochMilli(clock)
                + ", and "
                + aheadAdvice;
    }

    /** Returns how long the watermark has stood still although records came, in ms; else 0. */
    public long stalledMillis() {
        return stalledFor;
    }

    /** Returns how far event time is ahead of the wall clock, in ms; 0 if it is not too far. */
    public long aheadMillis() {
        return aheadBy;
    }
}
