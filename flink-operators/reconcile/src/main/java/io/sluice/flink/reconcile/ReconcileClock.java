/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.flink.runtime.MinuteLog;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.apache.flink.api.common.operators.ProcessingTimeService;

/**
 * Event time of a subtask: which timestamps and watermarks are believed, and which timestamps
 * emitted records get. Not thread-safe.
 *
 * <p>A watermark further ahead of the wall clock than {@code maxFuture} is kept until it is
 * believable: until then it neither closes windows nor is forwarded. The end of the input does not
 * advance time.
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

    /** What is emitted from now on is later. */
    private long forwarded = NONE;

    /** No time up to this one is ahead: the wall clock has already reached it. */
    private long believedUpTo = NONE;

    private long movedAt;
    private long checkedAt;
    private long recordAfter;
    private long records;
    private long stalledMillis;
    private long aheadMillis;

    /**
     * @param operator how messages name it
     * @param log where the lines go, such as {@code LOG::warn}
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

    /** Continues after what was emitted before a restart. */
    void resumeAt(long restored) {
        forwarded = Math.max(forwarded, restored);
    }

    /** The largest watermark that was believed since the subtask started. */
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

    /** Whether the watermark advances event time; if not, it is old, or kept for later. */
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

    /** A kept watermark that has become believable; {@link GroupExchanges#NONE} if none. */
    long takeHeld() {
        if (held == NONE || !believes(held)) {
            return NONE;
        }
        long due = held;
        held = NONE;
        return due;
    }

    /** A watermark was forwarded. */
    void forwarded(long timestamp) {
        forwarded = Math.max(forwarded, timestamp);
    }

    /**
     * The timestamp for something that belongs to {@code time}: this time, or the first that is not
     * late.
     */
    long outputTime(long time) {
        return time > forwarded ? time : forwarded == Long.MAX_VALUE ? forwarded : forwarded + 1;
    }

    /** A record's time was not believed. */
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

    /** Checks event time; to be called every few seconds. */
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
                + " ms. It is not believed, and since watermarks do not go back, event time stands"
                + " still. Keep wild timestamps out of the watermarks (BelievableWatermarks), then"
                + " restart the job: it continues from where it is.";
    }

    private String stallMessage() {
        return operator
                + ": event time has stood still since "
                + Instant.ofEpochMilli(movedAt)
                + ", though records come: no window is closed, and nothing is reconciled. Assign"
                + " watermarks before the operator, and give a source or partition without records"
                + " withIdleness(...).";
    }

    /** How long the watermark has stood still in spite of records, in ms; 0 if it has not. */
    long stalledMillis() {
        return stalledMillis;
    }

    /** How far ahead of the wall clock a disbelieved watermark is, in ms; 0 if none. */
    long aheadMillis() {
        return aheadMillis;
    }
}
