/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.flink.runtime.MinuteLog;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.apache.flink.api.common.operators.ProcessingTimeService;

/**
 * Event time of a subtask: which timestamps and watermarks are believed, and which time has what is
 * put out. Not thread-safe.
 *
 * <p>A watermark that is further ahead of the wall clock than {@code maxFuture} is kept for the
 * time when it is not: it neither closes windows nor is it forwarded. The end of the input is no
 * time.
 */
final class ReconcileClock {

    private static final long NONE = GroupExchanges.NONE;
    private static final long STALL_MILLIS = Duration.ofMinutes(1).toMillis();

    private final String operator;
    private final long maxFutureMillis;
    private final ProcessingTimeService wallClock;
    private final MinuteLog watermarkLog;
    private final MinuteLog recordLog;

    private long watermark = NONE;
    private long held = NONE;

    /** What is put out from now on is later. */
    private long forwarded = NONE;

    /** Nothing up to here is ahead; the wall clock has been at least that far. */
    private long believedUpTo = NONE;

    private long movedAt;
    private long checkedAt;
    private long recordAfter;
    private long records;
    private long stalledMillis;
    private long aheadMillis;

    /**
     * @param operator how messages name it
     * @param log where lines go, such as {@code LOG::warn}
     */
    ReconcileClock(
            String operator,
            long maxFutureMillis,
            ProcessingTimeService wallClock,
            Consumer<String> log) {
        this.operator = operator;
        this.maxFutureMillis = maxFutureMillis;
        this.wallClock = wallClock;
        this.watermarkLog = new MinuteLog(log);
        this.recordLog = new MinuteLog(log);
        movedAt = now();
        checkedAt = movedAt;
        recordAfter = movedAt;
    }

    private long now() {
        return wallClock.getCurrentProcessingTime();
    }

    /** Goes on behind what was put out before a restart. */
    void resumeAt(long restored) {
        forwarded = Math.max(forwarded, restored);
    }

    /** The greatest watermark that was believed since the subtask started. */
    long watermark() {
        return watermark;
    }

    /** Whether a time is at most {@code maxFuture} ahead of the wall clock. */
    boolean believes(long time) {
        if (time <= believedUpTo) {
            return true;
        }
        long now = now();
        believedUpTo =
                now > Long.MAX_VALUE - maxFutureMillis ? Long.MAX_VALUE : now + maxFutureMillis;
        return time <= believedUpTo;
    }

    /** Whether event time is at a new watermark; else it is behind, or kept for later. */
    boolean advance(long timestamp) {
        if (!believes(timestamp)) {
            held = Math.max(held, timestamp);
            return false;
        }
        if (timestamp <= watermark) {
            return false;
        }
        watermark = timestamp;
        movedAt = now();
        return true;
    }

    /** A watermark that was kept, and is believed by now; {@link GroupExchanges#NONE} if none. */
    long takeHeld() {
        if (held == NONE || !believes(held)) {
            return NONE;
        }
        long due = held;
        held = NONE;
        return due;
    }

    /** A watermark has left the operator. */
    void forwarded(long timestamp) {
        forwarded = Math.max(forwarded, timestamp);
    }

    /** The time of something that belongs to {@code time}: that, or the first that is not late. */
    long outputTime(long time) {
        return time > forwarded ? time : forwarded == Long.MAX_VALUE ? forwarded : forwarded + 1;
    }

    /** A record's time is not believed. */
    void wildRecord(long time) {
        recordLog.write(
                now(),
                () ->
                        operator
                                + ": a record has the time "
                                + time
                                + " ("
                                + Instant.ofEpochMilli(time)
                                + "), further ahead of the wall clock than maxFuture = "
                                + maxFutureMillis
                                + " ms. It is not reconciled, but goes to late(). If such times"
                                + " are right, raise maxFuture on both replicas.");
    }

    /** Looks after event time; to be called every few seconds. */
    void check(long recordsSoFar) {
        long now = now();
        if (recordsSoFar != records) {
            records = recordsSoFar;
            recordAfter = checkedAt;
        }
        checkedAt = now;
        aheadMillis = held == NONE || held <= now ? 0 : held - now;
        stalledMillis = recordAfter - movedAt >= STALL_MILLIS ? now - movedAt : 0;
        if (aheadMillis > 0) {
            watermarkLog.write(now, this::aheadMessage);
        } else if (stalledMillis > 0) {
            watermarkLog.write(now, this::stallMessage);
        }
    }

    private String aheadMessage() {
        return operator
                + ": a watermark is at "
                + Instant.ofEpochMilli(held)
                + ", further ahead of the wall clock than maxFuture = "
                + maxFutureMillis
                + " ms. It is not believed, and as watermarks do not go back, event time stands"
                + " still. Keep wild timestamps out of the watermarks (BelievableWatermarks), then"
                + " restart the job: it goes on where it is.";
    }

    private String stallMessage() {
        return operator
                + ": event time stands still since "
                + Instant.ofEpochMilli(movedAt)
                + ", though records come: no window is closed, and nothing is reconciled. Assign"
                + " watermarks before the operator, and give a source or partition without records"
                + " withIdleness(...).";
    }

    /** How long the watermark has stood still in spite of records, in ms; 0 if it has not. */
    long stalledMillis() {
        return stalledMillis;
    }

    /** How far ahead of the wall clock a watermark is that is not believed, in ms; 0 if none. */
    long aheadMillis() {
        return aheadMillis;
    }
}
