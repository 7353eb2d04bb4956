/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.runtime.Duplicates;
import io.sluice.flink.runtime.IdHasher;
import io.sluice.flink.runtime.IdsIdentity;
import io.sluice.flink.runtime.KeyGroupedOperator;
import io.sluice.flink.runtime.KeyGroupedState;
import io.sluice.flink.runtime.NullIds;
import io.sluice.flink.runtime.StateIdentity;
import io.sluice.flink.runtime.WallTimers;
import java.io.IOException;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Passes every first occurrence: when the filter reports an id as seen, the time of its first
 * occurrence is looked up in keyed state. State is written once per new id, with a timer that
 * clears it after the window; it is not read for an id that the filter knows to be new, unless the
 * filter had to forget inside the window for lack of memory. Until it covers the window again, the
 * state is read for every id: a small memory costs state reads, but no duplicate passes.
 *
 * <p>Before the first watermark it is unknown which timestamps are wild. Timers of records that
 * came then fire with the first watermark: they bring a time that it does not believe down to
 * {@link WindowSettings#maxFuture}, as the filter does with its own times, and continue from there.
 * So no entry waits for a time that never comes.
 *
 * <p>Flink's time to live would clear state without timers, but only by the wall clock: too early
 * if event time is slower than the wall clock, and after a downtime. A stored time that has left
 * the window counts as none, whether its timer has come or not.
 *
 * <p>A first occurrence that the filter took for a duplicate is still recorded in the filter:
 * otherwise it would be forgotten with the ids that it was confused with, before its own window
 * ends.
 *
 * @param <T> type of the records
 * @param <K> type of the ids
 */
final class VerifyingDeduplicateOperator<T, K> extends KeyGroupedOperator<T, T, Deduplicator>
        implements Triggerable<Object, VoidNamespace> {

    static final String ENGINE = "deduplicate filter with exact state";

    /** The first watermark passes this time, whatever its own time. */
    private static final long BEFORE_ALL_WATERMARKS = Long.MIN_VALUE + 1;

    /** No timer fires. */
    private static final long NO_TIMER = Long.MIN_VALUE;

    private final KeySelector<T, K> idSelector;
    private final IdHasher<K> hasher;
    private final OnDuplicate<T> onDuplicate;
    private final WindowSettings settings;
    private final long windowMillis;
    private final NullIds<T> nullIds;
    private final SeenIds<T> seen;

    private transient ValueState<Long> firstSeen;
    private transient InternalTimerService<VoidNamespace> timers;

    VerifyingDeduplicateOperator(
            WindowSettings settings,
            KeySelector<T, K> idSelector,
            IdHasher<K> hasher,
            OnDuplicate<T> onDuplicate,
            OnLate<T> onLate,
            OnNullId<T> onNullId) {
        this.idSelector = requireNonNull(idSelector, "idSelector");
        this.hasher = requireNonNull(hasher, "hasher");
        this.onDuplicate = requireNonNull(onDuplicate, "onDuplicate");
        this.settings = requireNonNull(settings, "settings");
        this.windowMillis = settings.windowMillis();
        this.nullIds = new NullIds<>(onNullId, hasher.role(), "onNullId");
        this.seen = new SeenIds<>(settings, onLate);
    }

    @Override
    protected String layout() {
        return seen.layout(ENGINE);
    }

    @Override
    protected Set<String> readableLayouts() {
        return Set.of(layout());
    }

    @Override
    protected StateIdentity identity() throws IOException {
        return IdsIdentity.ofHashed(getUserCodeClassloader(), hasher);
    }

    @Override
    protected KeyGroupedState.Handler<Deduplicator> createHandler() {
        return seen.handler(getRuntimeContext().getTaskInfo());
    }

    @Override
    protected boolean usesKeyedTimers() {
        return true;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        LongSupplier clock = steadyWallClock(seen.downtimeCounts());
        seen.start(describe(), groups(), getProcessingTimeService(), clock);
    }

    @Override
    public void open() throws Exception {
        super.open();
        seen.open(getMetricGroup(), output);
        nullIds.open(
                describe(),
                getMetricGroup().addGroup(DeduplicateMetrics.GROUP),
                DeduplicateMetrics.NULL_IDS,
                output);
        callEvery(seen.timerMillis(), unused -> seen.onTimer());
        firstSeen = getPartitionedState(FirstSeen.descriptor());
        timers = getInternalTimerService(FirstSeen.NAME, VoidNamespaceSerializer.INSTANCE, this);
        if (settings.resetClock()) {
            getKeyedStateBackend()
                    .applyToAllKeys(
                            VoidNamespace.INSTANCE,
                            VoidNamespaceSerializer.INSTANCE,
                            FirstSeen.descriptor(),
                            (id, state) -> waitForWatermark(state.value()));
        }
    }

    /** The clock by which this time was believed is itself no longer believed. */
    private void waitForWatermark(long time) {
        timers.deleteEventTimeTimer(VoidNamespace.INSTANCE, end(time) + 1);
        timers.registerEventTimeTimer(VoidNamespace.INSTANCE, BEFORE_ALL_WATERMARKS);
    }

    @Override
    public void processElement(StreamRecord<T> record) throws Exception {
        K id = idSelector.getKey(record.getValue());
        if (id == null) {
            withoutId(record);
            return;
        }
        long hash = hasher.hash(id);
        seen.readClock();
        Deduplicator group = seen.advancedGroup(keyGroupOf(hasher.keyHashCode()));
        long time = seen.timeOf(record, group);
        Verdict verdict = group.decide(hash, time);
        setCurrentKey(hasher.key(id));
        boolean certainlyNew = verdict == Verdict.FIRST && group.coversWindow();
        if (!certainlyNew) {
            if (isHeld(firstSeen.value(), group)) {
                seen.counts().countDuplicate();
                Duplicates.handle(onDuplicate, record, output);
                return;
            }
            if (verdict != Verdict.FIRST) {
                if (!passes(record, time, group)) {
                    return;
                }
                if (verdict == Verdict.DUPLICATE) {
                    seen.counts().countRescued();
                }
                group.remember(hash, time);
            }
        }
        firstSeen.update(time);
        registerTimer(time, group, NO_TIMER);
        output.collect(record);
    }

    /**
     * Whether a record whose id is not in the state is a first occurrence to be remembered. If not,
     * it is late and has been dealt with.
     */
    private boolean passes(StreamRecord<T> record, long time, Deduplicator group) {
        if (!seen.isEventTime() || time >= group.exactSince()) {
            return true;
        }
        if (seen.late(record) != Verdict.FIRST) {
            return false;
        }
        if (time < group.windowStart()) {
            output.collect(record);
            return false;
        }
        return true;
    }

    private void withoutId(StreamRecord<T> record) {
        seen.counts().countRecord();
        if (nullIds.pass(record)) {
            output.collect(record);
        }
    }

    private boolean isHeld(Long time, Deduplicator group) {
        return time != null && end(time) >= group.clock();
    }

    /** The last moment, on the group's clock, at which a duplicate must be seen. */
    private long end(long time) {
        return time > Long.MAX_VALUE - windowMillis ? Long.MAX_VALUE : time + windowMillis;
    }

    /**
     * @param fired the time of the timer that fires now
     */
    private void registerTimer(long time, Deduplicator group, long fired) {
        if (seen.isEventTime() && group.clock() == Long.MIN_VALUE) {
            timers.registerEventTimeTimer(VoidNamespace.INSTANCE, BEFORE_ALL_WATERMARKS);
            return;
        }
        long end = end(time);
        if (end == Long.MAX_VALUE) {
            return;
        }
        if (seen.isEventTime()) {
            timers.registerEventTimeTimer(VoidNamespace.INSTANCE, end + 1);
        } else {
            timers.registerProcessingTimeTimer(
                    VoidNamespace.INSTANCE,
                    seen.timerAt(WallTimers.plus(end + 1, group.lagMillis()), fired));
        }
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        seen.onWatermark(mark.getTimestamp());
        if (mark.getTimestamp() == Long.MAX_VALUE) {
            // The input has ended, but no time has passed: timers would clear what a restore needs.
            output.emitWatermark(mark);
        } else {
            super.processWatermark(mark);
        }
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        seen.beforeSnapshot();
        super.snapshotState(context);
        seen.afterSnapshot();
    }

    @Override
    public void finish() throws Exception {
        super.finish();
        seen.finish();
    }

    @Override
    public void onEventTime(InternalTimer<Object, VoidNamespace> timer) throws Exception {
        Deduplicator group = groups().get(keyGroupOf(timer.getKey().hashCode()));
        clearOrWait(timer.getTimestamp(), group, NO_TIMER);
    }

    @Override
    public void onProcessingTime(InternalTimer<Object, VoidNamespace> timer) throws Exception {
        Deduplicator group = groups().get(keyGroupOf(timer.getKey().hashCode()));
        // Not the timer's time: the wall clock may be wrong.
        clearOrWait(group.timeAt(seen.now()), group, timer.getTimestamp());
    }

    /**
     * Waits longer if, since the timer was set, the window was lengthened or the clock stood still.
     *
     * @param fired the time of the timer, in processing time
     */
    private void clearOrWait(long now, Deduplicator group, long fired) throws Exception {
        Long time = firstSeen.value();
        if (time == null) {
            return;
        }
        if (seen.isEventTime() && time > settings.latestTime(group.clock())) {
            time = settings.latestTime(group.clock());
            firstSeen.update(time);
        }
        if (end(time) < now) {
            firstSeen.clear();
        } else {
            registerTimer(time, group, fired);
        }
    }
}
