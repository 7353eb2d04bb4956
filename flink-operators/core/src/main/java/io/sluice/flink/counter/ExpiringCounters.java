/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.flink.runtime.KeyedTimers;
import io.sluice.flink.runtime.WallTimers;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.Triggerable;

/**
 * Forgets the totals of counters that are not touched any more. Operators have one as a member;
 * unless stated otherwise, everything here is about the current key.
 *
 * <p>Besides its total, each counter has the time of its last touch and one timer. The timer is set
 * when the counter begins; if the counter was touched since, the timer is set again when it fires.
 * So a touch costs a write of state and no timer. In processing time a touch also looks whether the
 * counter's time is over already, since timers go by the wall clock. The time is the operation's,
 * as far as it is believed, or the clock's, whichever is later. Before the first watermark there is
 * no clock: a counter touched then, before or after a restore, counts as touched when the first
 * watermark comes, if its operation is not later than that, and so does a total from a savepoint
 * that was taken without expiry.
 *
 * <p>In processing time the clock stands still while the job is down, unless the settings say
 * otherwise. So that a restore knows where the clock stood, and for which duration timers were set,
 * each subtask keeps both in operator state; a restore sees that of all subtasks.
 */
final class ExpiringCounters implements Triggerable<Object, VoidNamespace> {

    /** Counters whose totals were forgotten, since the subtask started. */
    static final String EXPIRED = "expiredCounters";

    /** Name of the state and of the timer service. */
    private static final String TOUCHED = "touched";

    /** Touched at an unknown time. */
    private static final long UNKNOWN = Long.MIN_VALUE;

    /** Time of timers that fire with the first watermark, whatever its time. */
    private static final long FIRST_WATERMARK = UNKNOWN + 1;

    private final CounterExpiry expiry;
    private final ProcessingTimeService processingTime;

    /** The wall clock, without its jumps. */
    private final LongSupplier wallClock;

    private final ListState<Tuple2<Long, Long>> marks;

    /** Duration for which timers were set in the restored state; 0 if there was no expiry. */
    private long restoredMillis;

    private long watermark = UNKNOWN;

    /** How far the clock is behind the wall clock. */
    private long lag;

    private volatile long wallClockAheadMillis;

    private final Counter expired = new SimpleCounter();
    private ValueState<CounterTotal> totals;
    private ValueState<Long> touched;
    private InternalTimerService<VoidNamespace> timers;
    private Predicate<Object> waits = key -> false;

    /**
     * Must be made in {@code initializeState}.
     *
     * @param processingTime the wall clock as it is, by which timers fire
     * @param wallClock the same, without its jumps
     */
    ExpiringCounters(
            CounterExpiry expiry,
            StateInitializationContext context,
            ProcessingTimeService processingTime,
            LongSupplier wallClock)
            throws Exception {
        this.expiry = requireNonNull(expiry, "expiry");
        this.processingTime = requireNonNull(processingTime, "processingTime");
        this.wallClock = requireNonNull(wallClock, "wallClock");
        marks =
                context.getOperatorStateStore()
                        .getUnionListState(
                                new ListStateDescriptor<>(
                                        "expiry", Types.TUPLE(Types.LONG, Types.LONG)));
        long stoodAt = UNKNOWN;
        for (Tuple2<Long, Long> mark : marks.get()) {
            stoodAt = Math.max(stoodAt, mark.f0);
            restoredMillis = mark.f1;
        }
        if (stoodAt != UNKNOWN) {
            // Where downtime counts, only a machine whose clock is behind would stop the clock.
            long behind = wallClock.getAsLong() - stoodAt;
            lag = expiry.settings().forgetDuringDowntime() ? Math.min(0, behind) : behind;
        }
    }

    private static ValueStateDescriptor<Long> touched() {
        return new ValueStateDescriptor<>(TOUCHED, LongSerializer.INSTANCE);
    }

    /**
     * Must be called in {@code open}. O(counters) if expiry was switched on, off, or changed since
     * the savepoint, else O(1).
     *
     * @param waits whether an update of the counter with this key is on its way to the state
     */
    void open(
            AbstractStreamOperator<?> operator,
            ValueState<CounterTotal> totals,
            MetricGroup metrics,
            Predicate<Object> waits)
            throws Exception {
        this.totals = requireNonNull(totals, "totals");
        this.waits = requireNonNull(waits, "waits");
        KeyedStateBackend<Object> backend = operator.getKeyedStateBackend();
        if (!expiry.isOn()) {
            if (restoredMillis > 0) {
                KeyedTimers.discard(backend, touched());
            }
            return;
        }
        metrics.addGroup(DeduplicateMetrics.GROUP).counter(EXPIRED, expired);
        touched =
                backend.getPartitionedState(
                        VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, touched());
        timers = operator.getInternalTimerService(TOUCHED, VoidNamespaceSerializer.INSTANCE, this);
        if (restoredMillis != expiry.millis() || expiry.settings().resetClock()) {
            backend.applyToAllKeys(
                    VoidNamespace.INSTANCE,
                    VoidNamespaceSerializer.INSTANCE,
                    CounterTotal.descriptor(),
                    (counter, total) -> adopt());
        }
    }

    /** Timers of another duration stay, and are ignored if they fire too early. */
    private void adopt() throws Exception {
        Long time = touched.value();
        if (time == null || expiry.settings().resetClock()) {
            time = clock();
            touched.update(time);
        }
        setTimer(time, UNKNOWN);
    }

    /** Returns whether counters expire. */
    boolean isOn() {
        return expiry.isOn();
    }

    /** Returns what {@link #touch} needs to know of an operation that comes now. */
    long now() {
        return expiry.isOn() ? clock() : UNKNOWN;
    }

    /**
     * An operation is about to be added to the counter. In processing time, the total is forgotten
     * if its time was over when the operation came. The timer does the same, but goes by the wall
     * clock: if that was wrong when the timer was set, or when Flink last looked for the next one,
     * it fires late.
     *
     * @param came {@link #now} when the operation came
     * @param timestamp of the operation
     */
    void touch(long came, long timestamp) throws Exception {
        if (!expiry.isOn()) {
            return;
        }
        long now = clock();
        long time = expiry.isEventTime() ? Math.max(now, believed(timestamp)) : now;
        Long before = touched.value();
        if (before != null && !expiry.isEventTime() && expiry.end(before) < came) {
            totals.clear();
            expired.inc();
        }
        if (now == UNKNOWN) {
            setTimer(UNKNOWN, UNKNOWN);
        } else if (before == null) {
            setTimer(time, UNKNOWN);
        }
        if (before == null || before < time) {
            touched.update(time);
        }
    }

    /** The watermark may be days behind the records of a backlog. */
    private long believed(long timestamp) {
        long now = Math.max(watermark, processingTime.getCurrentProcessingTime());
        return Math.min(timestamp, expiry.settings().latestTime(now));
    }

    private long clock() {
        if (expiry.isEventTime()) {
            return watermark;
        }
        // In this order: time that passes between the readings is not ahead.
        long wall = processingTime.getCurrentProcessingTime();
        long steady = wallClock.getAsLong();
        wallClockAheadMillis = Math.max(0, wall - steady);
        return steady - lag;
    }

    /**
     * In processing time, by how many milliseconds the wall clock was ahead and not believed when a
     * counter was last touched, looked at or snapshotted; else 0. Any thread may ask.
     */
    long wallClockAheadMillis() {
        return wallClockAheadMillis;
    }

    /**
     * @param fired see {@link WallTimers#at}
     */
    private void setTimer(long time, long fired) {
        if (!expiry.isEventTime()) {
            long end = WallTimers.plus(expiry.end(time) + 1, lag);
            timers.registerProcessingTimeTimer(
                    VoidNamespace.INSTANCE, WallTimers.at(end, processingTime, wallClock, fired));
        } else if (time == UNKNOWN) {
            timers.registerEventTimeTimer(VoidNamespace.INSTANCE, FIRST_WATERMARK);
        } else {
            timers.registerEventTimeTimer(VoidNamespace.INSTANCE, expiry.end(time) + 1);
        }
    }

    /** Must be called before timers fire. Not for the last watermark: no time has passed then. */
    void onWatermark(long timestamp) {
        watermark = Math.max(watermark, timestamp);
    }

    @Override
    public void onEventTime(InternalTimer<Object, VoidNamespace> timer) throws Exception {
        expireOrWait(timer, timer.getTimestamp() == FIRST_WATERMARK);
    }

    @Override
    public void onProcessingTime(InternalTimer<Object, VoidNamespace> timer) throws Exception {
        expireOrWait(timer, false);
    }

    /**
     * @param touchedBefore whether the counter was touched before the clock was known
     */
    private void expireOrWait(InternalTimer<Object, VoidNamespace> timer, boolean touchedBefore)
            throws Exception {
        Long time = touched.value();
        if (time == null) {
            return;
        }
        long now = clock();
        if (touchedBefore || waits.test(timer.getKey())) {
            long latest = Math.max(time, now);
            touched.update(latest);
            setTimer(latest, timer.getTimestamp());
        } else if (expiry.end(time) < now) {
            totals.clear();
            touched.clear();
            expired.inc();
        } else {
            setTimer(time, timer.getTimestamp());
        }
    }

    /** Must be called in {@code snapshotState}. */
    void snapshot() throws Exception {
        if (!expiry.isOn()) {
            marks.update(List.of());
            return;
        }
        long stands = expiry.isEventTime() ? UNKNOWN : clock();
        marks.update(List.of(Tuple2.of(stands, expiry.millis())));
    }
}
