/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flows;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.sluice.flink.BelievableWatermarks;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;

/**
 * Event time of a capture, which depends on nothing but its packets: a watermark after each that
 * advances it by a second. Flink's own come by the wall clock, so that what happens to packets out
 * of order would differ from run to run.
 *
 * <p>A packet further ahead of all before it than a bound advances event time unless one of the
 * next ones has gone back. So a few wild timestamps make nothing late, and event time follows where
 * nothing was recorded for days. {@link BelievableWatermarks} asks the wall clock instead, which
 * says another thing of equal packets an hour later. Times that are not believed are counted in its
 * metric.
 */
final class CaptureTime {
    private static final long STEP_MILLIS = 1_000;

    private final long behindMillis;
    private final long maxAheadMillis;
    private final long backMillis;
    private final Counter disbelieved = new SimpleCounter();

    /** The largest time that is believed. */
    private long latest = Long.MIN_VALUE;

    private long next = Long.MIN_VALUE + 1;

    /**
     * @param behind how far packets may lie behind the largest time, not negative
     * @param maxAhead how far they may lie ahead of it without a look at the next ones, not
     *     negative
     */
    CaptureTime(Duration behind, Duration maxAhead, MetricGroup group) {
        behindMillis = MILLISECONDS.convert(behind);
        maxAheadMillis = MILLISECONDS.convert(maxAhead);
        backMillis = Math.max(behindMillis, maxAheadMillis);
        group.addGroup(BelievableWatermarks.GROUP)
                .counter(BelievableWatermarks.DISBELIEVED, disbelieved);
    }

    /**
     * A packet has been put out.
     *
     * @param millis its time, not negative
     * @param earliestAhead gives the earliest time of the next packets; asked after a jump only
     */
    void follow(long millis, LongSupplier earliestAhead, WatermarkOutput output) {
        if (!isWithin(maxAheadMillis, latest, millis)
                && !isWithin(backMillis, earliestAhead.getAsLong(), millis)) {
            disbelieved.inc();
            return;
        }
        latest = Math.max(latest, millis);
        if (latest >= next) {
            next = latest + STEP_MILLIS;
            // As Flink does: another packet with the largest time may come.
            output.emitWatermark(new Watermark(latest - behindMillis - 1));
        }
    }

    /** Whether {@code millis} is at most that far ahead of another time; it may be earlier. */
    private static boolean isWithin(long bound, long other, long millis) {
        return other > Long.MAX_VALUE - bound || millis <= other + bound;
    }
}
