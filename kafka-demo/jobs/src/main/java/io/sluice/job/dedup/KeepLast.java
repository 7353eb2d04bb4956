/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.message.KafkaMessage;
import io.sluice.message.MessageTypeInfoFactory;
import java.util.Map;
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
 * Passes the last message of each id in each window: exact, in Flink's state. A window begins with
 * the first message by time that is in no window before it, and ends when the clock has passed that
 * time plus the window, or with the input; then its last message leaves. The last is the one with
 * the greatest time, and of several the one that came last.
 *
 * <p>In event time the times of the messages decide, in whatever order they come: so they wait, one
 * for each id and time, until the watermark has passed them, and then go into windows in their
 * order. In processing time a message goes into its window when it comes.
 *
 * <p>A message that comes behind the watermark goes at once into the first open window that it is
 * not after, and not more than the length of a window before. Otherwise it begins one. It is late
 * if that has ended already, or if it is after the last message of a window that has left; before
 * that it is a duplicate. So the last window of an id that has left is known for as long again.
 *
 * <p>A window keeps its end when windows become shorter at a restore: then it takes what is not
 * before its last message, which would otherwise leave after one that is later.
 */
final class KeepLast extends KeyedProcessFunction<String, KafkaMessage, KafkaMessage> {
    private final WindowTimers windows;
    private final OnDuplicate<KafkaMessage> onDuplicate;
    private final OnLate<KafkaMessage> onLate;

    /** Messages that the watermark has not passed, by their times. */
    private transient MapState<Long, KafkaMessage> waiting;

    /** The last message of each open window, by the window's end. */
    private transient MapState<Long, KafkaMessage> held;

    /** The time of the last message of the window that left last, by the window's end. */
    private transient MapState<Long, Long> left;

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
        waiting =
                getRuntimeContext()
                        .getMapState(
                                new MapStateDescriptor<>(
                                        "waiting", Types.LONG, MessageTypeInfoFactory.TYPE));
        left =
                getRuntimeContext()
                        .getMapState(new MapStateDescriptor<>("left", Types.LONG, Types.LONG));
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
        if (windows.processingTime()) {
            take(time, message, context);
        } else if (time > timers.currentWatermark()) {
            await(time, message, context);
        } else {
            takeLate(time, message, context, out);
        }
    }

    private void await(long time, KafkaMessage message, Context context) throws Exception {
        KafkaMessage before = waiting.get(time);
        if (before == null) {
            context.timerService().registerEventTimeTimer(time);
            waiting.put(time, message);
        } else {
            suppress(earlierIn(waiting, time, message), context);
        }
    }

    private void take(long time, KafkaMessage message, Context context) throws Exception {
        Long end = openWindow(time);
        if (end != null) {
            suppress(earlierIn(held, end, message), context);
            return;
        }
        long newEnd = windows.endOf(time);
        windows.register(newEnd, context.timerService());
        held.put(newEnd, message);
    }

    private void takeLate(
            long time, KafkaMessage message, Context context, Collector<KafkaMessage> out)
            throws Exception {
        Long last = lastThatLeft(time);
        if (last != null && message.time() <= last) {
            suppress(message, context);
        } else if (last != null
                || (openWindow(time) == null
                        && windows.isOver(windows.endOf(time), context.timerService()))) {
            late(message, context, out);
        } else {
            take(time, message, context);
        }
    }

    /** The time of the last message of a window that has left and would take one of that time. */
    @Nullable
    private Long lastThatLeft(long time) throws Exception {
        for (Map.Entry<Long, Long> window : left.entries()) {
            if (windows.takes(window.getKey(), time)) {
                return window.getValue();
            }
        }
        return null;
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
    private KafkaMessage earlierIn(
            MapState<Long, KafkaMessage> kept, long key, KafkaMessage message) throws Exception {
        KafkaMessage before = kept.get(key);
        if (!windows.processingTime() && message.time() < before.time()) {
            return message;
        }
        kept.put(key, message);
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
        KafkaMessage message = waiting.get(timestamp);
        if (message != null) {
            waiting.remove(timestamp);
            take(timestamp, message, context);
        }
        forget(timestamp);
        KafkaMessage last = held.get(timestamp);
        // At the end of the input it may have left by its other timer.
        if (last != null) {
            held.remove(timestamp);
            out.collect(last);
            if (windows.processingTime()) {
                if (held.isEmpty()) {
                    windows.unregisterEnd(context.timerService());
                }
            } else {
                left.clear();
                left.put(timestamp, last.time());
                context.timerService().registerEventTimeTimer(windows.endOf(timestamp));
            }
        }
    }

    /** When a window as long has passed, the window of whatever would belong to it is over. */
    private void forget(long now) throws Exception {
        for (long end : left.keys()) {
            if (windows.endOf(end) <= now) {
                left.clear();
                return;
            }
        }
    }
}
