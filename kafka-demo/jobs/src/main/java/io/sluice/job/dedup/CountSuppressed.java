/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import io.sluice.flink.dedup.WindowTimers;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Counts the suppressed duplicates of each id. Duplicates are the minority, and only an id that has
 * one gets state and a timer: from its first suppressed duplicate on, until the clock has passed
 * that one's time plus the window, or the input has ended. Then the count leaves, and the next
 * duplicate begins another.
 *
 * <p>Every suppressed duplicate is in exactly one count, also after failures, restores and
 * rescaling, whenever it comes: one that is late is counted when the watermark next moves.
 */
final class CountSuppressed extends KeyedProcessFunction<String, Suppressed, Suppressed> {
    private final WindowTimers windows;

    private transient ValueState<Suppressed> counted;

    CountSuppressed(WindowTimers windows) {
        this.windows = windows;
    }

    @Override
    public void open(OpenContext context) {
        counted =
                getRuntimeContext()
                        .getState(
                                new ValueStateDescriptor<>(
                                        "suppressed", SuppressedSerializer.INSTANCE));
    }

    @Override
    public void processElement(Suppressed duplicate, Context context, Collector<Suppressed> out)
            throws Exception {
        TimerService timers = context.timerService();
        Suppressed before = counted.value();
        long time = windows.timeOf(duplicate.first(), timers);
        Suppressed told = windows.processingTime() ? duplicate.at(time) : duplicate;
        if (before == null) {
            windows.register(windows.endOf(time), timers);
            counted.update(told);
        } else {
            counted.update(before.and(told));
        }
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<Suppressed> out)
            throws Exception {
        Suppressed count = counted.value();
        // At the end of the input it may have left by its other timer.
        if (count != null) {
            counted.clear();
            windows.unregisterEnd(context.timerService());
            out.collect(count);
        }
    }
}
