/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flows;

import io.sluice.flink.BelievableWatermarks;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;

/**
 * Watermarks that depend only on the records: one after each that advances event time by a second.
 * Flink's own come by the wall clock, so that what happens to records out of order would differ
 * from run to run.
 *
 * <p>A time further ahead than a bound advances event time only when the next record comes, and
 * only if that one has not gone back. So one wild timestamp makes nothing late, and event time
 * follows where nothing was recorded for days. {@link BelievableWatermarks} asks the wall clock
 * instead, which says another thing of equal records an hour later. Times that are not believed are
 * counted in its metric.
 */
final class SteadyWatermarks<T> implements WatermarkGenerator<T> {
    private static final long STEP_MILLIS = 1_000;

    private final long behindMillis;
    private final long maxAheadMillis;
    private final Counter disbelieved = new SimpleCounter();

    /** The largest time that is believed. */
    private long latest = Long.MIN_VALUE;

    private long next = Long.MIN_VALUE + 1;

    /** Whether the last record was too far ahead, and its time then. */
    private boolean isAhead;

    private long ahead;

    /**
     * @param behind how far records may lie behind the largest time, not negative
     * @param maxAhead how far they may lie ahead of the largest time before, not negative
     */
    SteadyWatermarks(Duration behind, Duration maxAhead, MetricGroup group) {
        this.behindMillis = behind.toMillis();
        this.maxAheadMillis = saturatedMillis(maxAhead);
        group.addGroup(BelievableWatermarks.GROUP)
                .counter(BelievableWatermarks.DISBELIEVED, disbelieved);
    }

    private static long saturatedMillis(Duration duration) {
        try {
            return duration.toMillis();
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }

    @Override
    public void onEvent(T record, long millis, WatermarkOutput output) {
        if (isAhead) {
            if (isNear(millis, ahead)) {
                latest = ahead;
            } else {
                disbelieved.inc();
            }
        }
        isAhead = !isNear(latest, millis);
        if (isAhead) {
            ahead = millis;
        } else {
            latest = Math.max(latest, millis);
        }
        if (latest >= next) {
            next = latest + STEP_MILLIS;
            // As Flink does: another record with the largest time may come.
            output.emitWatermark(new Watermark(latest - behindMillis - 1));
        }
    }

    /** Whether {@code ahead} is not too far ahead of another time; it may be earlier. */
    private boolean isNear(long other, long ahead) {
        return other > Long.MAX_VALUE - maxAheadMillis || ahead <= other + maxAheadMillis;
    }

    /** By the wall clock, which does not count here. */
    @Override
    public void onPeriodicEmit(WatermarkOutput output) {}
}
