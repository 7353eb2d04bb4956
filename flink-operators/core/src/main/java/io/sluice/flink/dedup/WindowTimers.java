/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import java.io.Serializable;
import java.time.Duration;
import org.apache.flink.annotation.Internal;
import org.apache.flink.streaming.api.TimerService;

/**
 * When the windows of single ids begin and end: each begins with the time of a record, and ends
 * when the clock has passed that time plus the window, or with the input.
 *
 * <p>In event time, a record further ahead of the wall clock than event time itself can be counts
 * as just that far ahead: a wild timestamp does not hold its window for ever. In processing time,
 * the last watermark says that the input has ended.
 *
 * @param within length of the windows
 * @param maxAhead how far event time may be ahead of the wall clock
 * @param processingTime whether the clock is that of arrival
 */
@Internal
public record WindowTimers(Duration within, Duration maxAhead, boolean processingTime)
        implements Serializable {

    /** Only the last watermark gets there. */
    private static final long END_OF_INPUT = Long.MAX_VALUE;

    /** Returns where the time of a record lies on the clock. */
    public long timeOf(long recordTime, TimerService timers) {
        long now = timers.currentProcessingTime();
        return processingTime ? now : Math.min(recordTime, plus(now, maxAhead));
    }

    /** Returns the end of a window that begins then. */
    public long endOf(long start) {
        return plus(start, within);
    }

    /**
     * Returns whether a record of that time belongs to the window that ends then: it is not after
     * it, and not more than the length of a window before. In processing time none comes before.
     */
    public boolean takes(long end, long time) {
        return time <= end && (processingTime || end <= plus(plus(time, within), within));
    }

    private static long plus(long time, Duration duration) {
        long millis = duration.toMillis();
        return time > Long.MAX_VALUE - millis ? Long.MAX_VALUE : time + millis;
    }

    /**
     * Returns whether a timer has fired because the input has ended, and not because time has
     * passed.
     */
    public boolean isEndOfInput(long timer) {
        return processingTime && timer == END_OF_INPUT;
    }

    /** Asks to be called when the clock has passed {@code end}, and at the end of the input. */
    public void register(long end, TimerService timers) {
        if (processingTime) {
            timers.registerProcessingTimeTimer(end);
            timers.registerEventTimeTimer(END_OF_INPUT);
        } else {
            timers.registerEventTimeTimer(end);
        }
    }

    /** Deletes the timer for the end of the input. Call it when an id has no window any more. */
    public void unregisterEnd(TimerService timers) {
        if (processingTime) {
            timers.deleteEventTimeTimer(END_OF_INPUT);
        }
    }

    /** Returns whether a window that ends then has ended already. */
    public boolean isOver(long end, TimerService timers) {
        return !processingTime && end <= timers.currentWatermark();
    }
}
