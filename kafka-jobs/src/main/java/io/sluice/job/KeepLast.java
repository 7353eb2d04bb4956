/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.message.KafkaMessage;
import io.sluice.message.MessageTypeInfoFactory;
import javax.annotation.Nullable;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Passes the last message of each id in each window: exact, with one message per id and open window
 * in Flink's state. A window begins with the time of the first message that came, and ends when the
 * clock has passed that time plus the window, or with the input; then its last message leaves. The
 * last is the one with the greatest time, and of several the one that came last.
 *
 * <p>A message belongs to the first open window that it is not after, and not more than the length
 * of a window before. Otherwise it begins one. It is late if that has ended already. A window keeps
 * its end when windows become shorter at a restore: then it takes what is not before its last
 * message, which would otherwise leave after one that is later.
 */
final class KeepLast extends KeyedProcessFunction<String, KafkaMessage, KafkaMessage> {
    private final WindowTimers windows;
    private final OnDuplicate<KafkaMessage> onDuplicate;
    private final OnLate<KafkaMessage> onLate;

    /** The last message of each open window, by the window's end. */
    private transient MapState<Long, KafkaMessage> held;

    private transient Counter records;
    private transient Counter duplicates;
    private transient Counter late;

    /**
     * @param onDuplicate what becomes of a message that is not the last
     */
    KeepLast(
            WindowTimers windows,
            OnDuplicate<KafkaMessage> onDuplicate,
            OnLate<KafkaMessage> onLate) {
        this.windows = windows;
        this.onDuplicate = onDuplicate;
        this.onLate = onLate;
    }

    @Override
    public void open(OpenContext context) {
        held =
                getRuntimeContext()
                        .getMapState(
                                new MapStateDescriptor<>(
                                        "last", Types.LONG, MessageTypeInfoFactory.TYPE));
        MetricGroup group = getRuntimeContext().getMetricGroup().addGroup(DeduplicateMetrics.GROUP);
        records = group.counter(DeduplicateMetrics.RECORDS);
        duplicates = group.counter(DeduplicateMetrics.DUPLICATES);
        late = group.counter(DeduplicateMetrics.LATE);
    }

    @Override
    public void processElement(KafkaMessage message, Context context, Collector<KafkaMessage> out)
            throws Exception {
        records.inc();
        TimerService timers = context.timerService();
        long time = windows.timeOf(message.time(), timers);
        Long end = openWindow(time);
        if (end != null) {
            suppress(earlierIn(end, message), context);
            return;
        }
        long newEnd = windows.endOf(time);
        if (windows.isOver(newEnd, timers)) {
            late(message, context, out);
            return;
        }
        windows.register(newEnd, timers);
        held.put(newEnd, message);
    }

    /** The end of the window that a message of that time belongs to; null if there is none. */
    @Nullable
    private Long openWindow(long time) throws Exception {
        Long first = null;
        for (long end : held.keys()) {
            if ((first == null || end < first)
                    && (windows.takes(end, time) || followsLastOf(end, time))) {
                first = end;
            }
        }
        return first;
    }

    /** Only to be asked of a window that may have been longer before a restore. */
    private boolean followsLastOf(long end, long time) throws Exception {
        return time <= end && time >= held.get(end).time();
    }

    /** Keeps the later of two messages, and returns the other. */
    private KafkaMessage earlierIn(long end, KafkaMessage message) throws Exception {
        KafkaMessage before = held.get(end);
        if (!windows.processingTime() && message.time() < before.time()) {
            return message;
        }
        held.put(end, message);
        return before;
    }

    private void suppress(KafkaMessage message, Context context) {
        duplicates.inc();
        if (onDuplicate.sideOutput() != null) {
            context.output(onDuplicate.sideOutput(), message);
        }
    }

    private void late(KafkaMessage message, Context context, Collector<KafkaMessage> out) {
        late.inc();
        if (onLate.forwards()) {
            out.collect(message);
        } else if (onLate.sideOutput() != null) {
            context.output(onLate.sideOutput(), message);
        }
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<KafkaMessage> out)
            throws Exception {
        if (windows.isEndOfInput(timestamp)) {
            for (KafkaMessage last : held.values()) {
                out.collect(last);
            }
            held.clear();
            return;
        }
        KafkaMessage last = held.get(timestamp);
        // At the end of the input it may have left by its other timer.
        if (last != null) {
            held.remove(timestamp);
            out.collect(last);
            if (held.isEmpty()) {
                windows.unregisterEnd(context.timerService());
            }
        }
    }
}
