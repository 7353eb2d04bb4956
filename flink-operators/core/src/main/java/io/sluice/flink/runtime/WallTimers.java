/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import io.sluice.filter.forgetful.SteadyClock;
import java.util.function.LongSupplier;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.operators.ProcessingTimeService;

/**
 * When a timer has to fire for a time of a {@link SteadyClock}: Flink's timers of processing time
 * go by the wall clock. So a timer says only that it is time to look at the steady clock.
 */
@Internal
public final class WallTimers {

    private WallTimers() {}

    /**
     * Returns the time of a timer. While the wall clock is believed, it is {@code time} itself, so
     * that timers for one time are one timer.
     *
     * @param time of {@code clock}
     * @param clock the wall clock without its jumps
     * @param fired the time of the timer that fires now, {@link Long#MIN_VALUE} if none does. Flink
     *     fires all timers up to that time before it goes on, whatever the wall clock says by then,
     *     so the next one is later.
     */
    public static long at(long time, ProcessingTimeService wall, LongSupplier clock, long fired) {
        // In this order: time that passes between the readings is not ahead.
        long jumped = wall.getCurrentProcessingTime() - clock.getAsLong();
        boolean isBelieved = jumped <= 0 && jumped >= -SteadyClock.TOLERANCE_MILLIS;
        long timer = isBelieved ? time : plus(time, jumped);
        return fired < timer ? timer : fired + 1;
    }

    /** Returns the end of time if the sum is beyond. */
    public static long plus(long time, long millis) {
        return millis > 0 && time > Long.MAX_VALUE - millis ? Long.MAX_VALUE : time + millis;
    }
}
