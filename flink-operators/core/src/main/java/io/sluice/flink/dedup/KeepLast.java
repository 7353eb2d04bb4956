/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.runtime.EventTime;
import io.sluice.flink.runtime.NullIds;
import io.sluice.flink.runtime.OperatorLayout;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Passes the last record of each id in each window: exact, in Flink's state. A window begins with
 * the first record by time that is in no window before it, and ends when the clock has passed that
 * time plus the window, or with the input; then its last record leaves. The last is the one with
 * the greatest time, and of several the one that came last.
 *
 * <p>In event time the times of the records decide, in whatever order they come: so they wait, one
 * for each id and time, until the watermark has passed them, and then go into windows in their
 * order. In processing time a record goes into its window when it comes.
 *
 * <p>A record that comes behind the watermark goes at once into the first open window that it is
 * not after, and not more than the length of a window before. Otherwise it begins one. It is late
 * if that has ended already, or if it is after the last record of a window that has left; before
 * that it is a duplicate. So the last window of an id that has left is known for as long again.
 *
 * <p>A window keeps its end when windows become shorter at a restore: then it takes what is not
 * before its last record, which would otherwise leave after one that is later.
 *
 * @param <T> type of the records
 * @param <K> type of the ids
 */
final class KeepLast<T, K> extends KeyedProcessFunction<Object, T, T>
        implements CheckpointedFunction {
    private final WindowTimers windows;
    private final TypeInformation<T> type;
    private final KeySelector<T, K> idSelector;
    private final OnDuplicate<T> onDuplicate;
    @Nullable private final Conflicts<T> conflicts;
    private final OnLate<T> onLate;
    private final OnNullId<T> onNullId;

    private transient OperatorLayout layout;

    /** Records that the watermark has not passed, with their times, by where these lie. */
    private transient MapState<Long, Tuple2<Long, T>> waiting;

    /** The last record of each open window, with its time, by the window's end. */
    private transient MapState<Long, Tuple2<Long, T>> held;

    /** The time of the last record of the window that left last, by the window's end. */
    private transient MapState<Long, Long> left;

    /** Null unless records are reused, so that those that are held have to be copied. */
    @Nullable private transient TypeSerializer<T> copier;

    private transient Counter records;
    private transient Counter duplicates;
    private transient Counter late;
    private transient Counter nullIds;

    /**
     * @param onDuplicate what happens to a record that is not the last
     * @param conflicts null if contents are not compared
     */
    KeepLast(
            WindowTimers windows,
            TypeInformation<T> type,
            KeySelector<T, K> idSelector,
            OnDuplicate<T> onDuplicate,
            @Nullable Conflicts<T> conflicts,
            OnLate<T> onLate,
            OnNullId<T> onNullId) {
        this.windows = requireNonNull(windows, "windows");
        this.type = requireNonNull(type, "type");
        this.idSelector = requireNonNull(idSelector, "idSelector");
        this.onDuplicate = requireNonNull(onDuplicate, "onDuplicate");
        this.conflicts = conflicts;
        this.onLate = requireNonNull(onLate, "onLate");
        this.onNullId = requireNonNull(onNullId, "onNullId");
    }

    /** Timers of the other clock would never come, and what they hold not leave. */
    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        layout = OperatorLayout.restored(context.getOperatorStateStore(), describe(), layout());
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        layout.write();
    }

    private String layout() {
        TimeDomain domain = windows.processingTime() ? TimeDomain.PROCESSING : TimeDomain.EVENT;
        return "engine=keep last, timeDomain=" + domain;
    }

    private String describe() {
        return "'" + getRuntimeContext().getTaskInfo().getTaskName() + "'";
    }

    @Override
    public void open(OpenContext context) {
        TypeInformation<Tuple2<Long, T>> timed = Types.TUPLE(Types.LONG, type);
        waiting =
                getRuntimeContext()
                        .getMapState(new MapStateDescriptor<>("waiting", Types.LONG, timed));
        left =
                getRuntimeContext()
                        .getMapState(new MapStateDescriptor<>("left", Types.LONG, Types.LONG));
        held = getRuntimeContext().getMapState(new MapStateDescriptor<>("last", Types.LONG, timed));
        copier =
                getRuntimeContext().isObjectReuseEnabled()
                        ? getRuntimeContext().createSerializer(type)
                        : null;
        MetricGroup group = getRuntimeContext().getMetricGroup().addGroup(DeduplicateMetrics.GROUP);
        records = group.counter(DeduplicateMetrics.RECORDS);
        duplicates = group.counter(DeduplicateMetrics.DUPLICATES);
        late = group.counter(DeduplicateMetrics.LATE);
        nullIds = group.counter(DeduplicateMetrics.NULL_IDS);
        if (conflicts != null) {
            conflicts.open(group);
        }
    }

    @Override
    public void processElement(T value, Context context, Collector<T> out) throws Exception {
        records.inc();
        if (idSelector.getKey(value) == null) {
            withoutId(value, context, out);
            return;
        }
        TimerService timers = context.timerService();
        Tuple2<Long, T> record =
                Tuple2.of(timeOf(context), copier == null ? value : copier.copy(value));
        long time = windows.timeOf(record.f0, timers);
        if (windows.processingTime()) {
            take(time, record, context);
        } else if (time > timers.currentWatermark()) {
            await(time, record, context);
        } else {
            takeLate(time, record, context, out);
        }
    }

    /** The record's own time; in processing time it has none. */
    private long timeOf(Context context) {
        return windows.processingTime() ? 0 : EventTime.of(context.timestamp(), describe());
    }

    private void withoutId(T value, Context context, Collector<T> out) {
        nullIds.inc();
        if (onNullId.fails()) {
            throw NullIds.refusal(describe(), "id", "onNullId");
        }
        if (onNullId.sideOutput() != null) {
            context.output(onNullId.sideOutput(), value);
        }
        if (onNullId.forwards()) {
            out.collect(value);
        }
    }

    private void await(long time, Tuple2<Long, T> record, Context context) throws Exception {
        if (waiting.contains(time)) {
            keepLaterIn(waiting, time, record, context);
        } else {
            context.timerService().registerEventTimeTimer(time);
            waiting.put(time, record);
        }
    }

    private void take(long time, Tuple2<Long, T> record, Context context) throws Exception {
        Long end = openWindow(time);
        if (end != null) {
            keepLaterIn(held, end, record, context);
            return;
        }
        long newEnd = windows.endOf(time);
        windows.register(newEnd, context.timerService());
        held.put(newEnd, record);
    }

    private void takeLate(long time, Tuple2<Long, T> record, Context context, Collector<T> out)
            throws Exception {
        if (openWindow(time) == null
                && lastThatLeft(time) == null
                && windows.isOver(windows.endOf(time), context.timerService())) {
            late(record.f1, context, out);
        } else {
            takeUnlessLeft(time, record, context, out);
        }
    }

    /** After a restore a record of a window that has left may wait: Flink forgets the watermark. */
    private void takeUnlessLeft(
            long time, Tuple2<Long, T> record, Context context, Collector<T> out) throws Exception {
        Long last = lastThatLeft(time);
        if (last == null) {
            take(time, record, context);
        } else if (record.f0 <= last) {
            // Of the last one only the time is known.
            suppress(record, Verdict.UNCOMPARED, context);
        } else {
            late(record.f1, context, out);
        }
    }

    /**
     * Returns the time of the last record of a window that has left and would take one of that
     * time.
     */
    @Nullable
    private Long lastThatLeft(long time) throws Exception {
        for (Map.Entry<Long, Long> window : left.entries()) {
            if (windows.takes(window.getKey(), time)) {
                return window.getValue();
            }
        }
        return null;
    }

    /**
     * Returns the end of the window that a record of that time belongs to; null if there is none.
     */
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
        return time <= end && time >= held.get(end).f0;
    }

    /** Keeps the later of two records, and suppresses the other. */
    private void keepLaterIn(
            MapState<Long, Tuple2<Long, T>> kept, long key, Tuple2<Long, T> record, Context context)
            throws Exception {
        Tuple2<Long, T> before = kept.get(key);
        Verdict verdict = compared(before.f1, record.f1);
        if (!windows.processingTime() && record.f0 < before.f0) {
            suppress(record, verdict, context);
            return;
        }
        kept.put(key, record);
        suppress(before, verdict, context);
    }

    private Verdict compared(T one, T other) throws Exception {
        return conflicts == null || conflicts.contentOf(one) == conflicts.contentOf(other)
                ? Verdict.DUPLICATE
                : Verdict.CONFLICT;
    }

    private void suppress(Tuple2<Long, T> record, Verdict verdict, Context context) {
        duplicates.inc();
        if (conflicts != null && conflicts.count(verdict) && conflicts.sideOutput() != null) {
            context.output(conflicts.sideOutput(), record.f1);
        }
        if (onDuplicate.sideOutput() != null) {
            context.output(onDuplicate.sideOutput(), record.f1);
        }
    }

    private void late(T value, Context context, Collector<T> out) {
        late.inc();
        if (onLate.forwards()) {
            out.collect(value);
        } else if (onLate.sideOutput() != null) {
            context.output(onLate.sideOutput(), value);
        }
    }

    @Override
    public void onTimer(long timestamp, OnTimerContext context, Collector<T> out) throws Exception {
        if (windows.isEndOfInput(timestamp)) {
            for (Tuple2<Long, T> last : held.values()) {
                out.collect(last.f1);
            }
            held.clear();
            return;
        }
        Tuple2<Long, T> record = waiting.get(timestamp);
        if (record != null) {
            waiting.remove(timestamp);
            takeUnlessLeft(timestamp, record, context, out);
        }
        forget(timestamp, record == null, context);
        Tuple2<Long, T> last = held.get(timestamp);
        // At the end of the input it may have left by its other timer.
        if (last != null) {
            held.remove(timestamp);
            out.collect(last.f1);
            if (windows.processingTime()) {
                if (held.isEmpty()) {
                    windows.unregisterEnd(context.timerService());
                }
            } else {
                left.clear();
                left.put(timestamp, last.f0);
                context.timerService().registerEventTimeTimer(windows.endOf(timestamp));
            }
        }
    }

    /**
     * When a window as long has passed, the window of whatever would belong to it is over.
     *
     * @param again whether this timer may be the one for that: windows became longer at a restore
     *     if it is early
     */
    private void forget(long now, boolean again, Context context) throws Exception {
        for (long end : left.keys()) {
            if (windows.endOf(end) <= now) {
                left.clear();
            } else if (again) {
                context.timerService().registerEventTimeTimer(windows.endOf(end));
            }
            return;
        }
    }
}
