/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.runtime.HashedId;
import io.sluice.flink.runtime.IdHasher;
import io.sluice.flink.runtime.WallTimers;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Passes every first occurrence, and no duplicate: when the filter reports an id as seen, or does
 * not cover the whole window before the record, the times of the id's records that passed are
 * looked up in keyed state. State is written once per record that passes, with a timer that clears
 * it; it is not read for an id that the filter knows to be new. If the filter had to forget for
 * lack of memory, the state is read for every id until it covers the window again: a small memory
 * costs state reads, but no duplicate passes.
 *
 * <p>In event time a record is kept until the watermark is two windows beyond it: one that comes a
 * window behind the watermark, and is not late yet, may be a duplicate of it.
 *
 * <p>Flink's time to live would clear state without timers, but only by the wall clock: too early
 * if event time is slower than the wall clock, and after a downtime.
 *
 * <p>A first occurrence that the filter took for a duplicate is still recorded in the filter:
 * otherwise it would be forgotten with the ids that it was confused with, before its own window
 * ends.
 *
 * @param <T> type of the records
 * @param <K> type of the ids
 */
final class VerifyingDeduplicateOperator<T, K> extends FilterDeduplicateOperator<T, K>
        implements Triggerable<Object, VoidNamespace> {

    static final String ENGINE = "deduplicate filter with exact times";

    /** No timer fires. */
    private static final long NO_TIMER = Long.MIN_VALUE;

    private final WindowSettings settings;
    private final long windowMillis;
    private final long retainedMillis;

    private transient ListState<Long> passedTimes;
    private transient InternalTimerService<VoidNamespace> timers;

    VerifyingDeduplicateOperator(
            WindowSettings settings,
            KeySelector<T, K> idSelector,
            IdHasher<K> hasher,
            OnDuplicate<T> onDuplicate,
            @Nullable Conflicts<T> conflicts,
            OnLate<T> onLate,
            OnNullId<T> onNullId) {
        super(
                ENGINE,
                idSelector,
                hasher,
                onDuplicate,
                conflicts,
                onNullId,
                // The contents are in the exact state.
                new SeenIds<>(settings, onLate));
        this.settings = requireNonNull(settings, "settings");
        this.windowMillis = settings.windowMillis();
        this.retainedMillis = (seen().isEventTime() ? 2 : 1) * windowMillis;
    }

    @Override
    protected boolean usesKeyedTimers() {
        return true;
    }

    @Override
    public void open() throws Exception {
        super.open();
        passedTimes = getPartitionedState(PassedTimes.descriptor());
        timers = getInternalTimerService(PassedTimes.NAME, VoidNamespaceSerializer.INSTANCE, this);
        if (settings.resetClock()) {
            getKeyedStateBackend()
                    .applyToAllKeys(
                            VoidNamespace.INSTANCE,
                            VoidNamespaceSerializer.INSTANCE,
                            PassedTimes.descriptor(),
                            (id, state) -> boundAgain(state));
        }
    }

    /** The clock by which these times were believed is itself no longer believed. */
    private void boundAgain(ListState<Long> state) throws Exception {
        long latest = settings.latestTime(getProcessingTimeService().getCurrentProcessingTime());
        List<Long> passed = PassedTimes.from(state.get(), Long.MIN_VALUE);
        for (int i = 1; i < passed.size(); i += 2) {
            if (!PassedTimes.isContent(passed, i) && passed.get(i) > latest) {
                timers.deleteEventTimeTimer(VoidNamespace.INSTANCE, plusOne(end(passed.get(i))));
                timers.registerEventTimeTimer(VoidNamespace.INSTANCE, plusOne(end(latest)));
            }
        }
        state.update(PassedTimes.bounded(passed, latest));
    }

    @Override
    void process(StreamRecord<T> record, K id, HashedId hashed) throws Exception {
        SeenIds<T> seen = seen();
        long hash = hashed.hash();
        Deduplicator group = seen.advancedGroup(keyGroupOf(hashed.keyHashCode()), seen.readClock());
        long time = seen.timeOf(record, group);
        long kept = seen.keptAs(time);
        Verdict verdict = group.decide(hash, time, kept);
        setCurrentKey(hasher().key(id));
        Conflicts<T> conflicts = conflicts();
        long content = conflicts == null ? 0 : conflicts.contentOf(record.getValue());
        boolean certainlyNew = verdict == Verdict.FIRST && kept == time && group.covers(time);
        if (!certainlyNew) {
            Verdict near = PassedTimes.compared(passedTimes.get(), time, windowMillis, content);
            if (near != Verdict.FIRST) {
                handleDuplicate(near, record);
                return;
            }
            boolean late = seen.isEventTime() && time < group.exactSince();
            if (late && seen.late(record) != Verdict.FIRST) {
                return;
            }
            if (verdict == Verdict.DUPLICATE && !late) {
                seen.counts().countRescued();
            }
            if (verdict != Verdict.FIRST) {
                group.remember(hash, time, kept);
            }
            if (!late && group.mayHaveLeft(time)) {
                seen.counts().countUndecided();
            }
            if (late) {
                // Its copies are late too: from now on, as long as for one that just left.
                kept = group.windowStart();
            }
        }
        passedTimes.addAll(
                conflicts == null
                        ? List.of(time, kept)
                        : PassedTimes.withContent(time, kept, content));
        registerTimer(kept, group, NO_TIMER);
        output.collect(record);
    }

    @Override
    Verdict note(K id, HashedId hashed, long time) throws Exception {
        Deduplicator group = groups().get(keyGroupOf(hashed.keyHashCode()));
        long hash = hashed.hash();
        long kept = seen().keptAs(time);
        Verdict verdict = group.decide(hash, time, kept);
        setCurrentKey(hasher().key(id));
        boolean certainlyNew = verdict == Verdict.FIRST && kept == time && group.covers(time);
        if (!certainlyNew) {
            Iterable<Long> passed = passedTimes.get();
            if (PassedTimes.compared(passed, time, windowMillis, 0) != Verdict.FIRST) {
                return Verdict.DUPLICATE;
            }
            if (seen().isEventTime() && time < group.exactSince()) {
                seen().counts().countLate();
                return Verdict.LATE;
            }
            if (verdict != Verdict.FIRST) {
                group.remember(hash, time, kept);
            }
        }
        passedTimes.addAll(List.of(time, kept));
        registerTimer(kept, group, NO_TIMER);
        return Verdict.FIRST;
    }

    /**
     * Returns the last moment, on the group's clock, at which a record that is kept as of then is
     * needed.
     */
    private long end(long kept) {
        return kept > Long.MAX_VALUE - retainedMillis ? Long.MAX_VALUE : kept + retainedMillis;
    }

    private static long plusOne(long time) {
        return time == Long.MAX_VALUE ? time : time + 1;
    }

    private static long minus(long time, long millis) {
        return time < Long.MIN_VALUE + millis ? Long.MIN_VALUE : time - millis;
    }

    /**
     * @param fired the time of the timer that fires now
     */
    private void registerTimer(long kept, Deduplicator group, long fired) {
        long end = end(kept);
        if (end == Long.MAX_VALUE) {
            return;
        }
        if (seen().isEventTime()) {
            timers.registerEventTimeTimer(VoidNamespace.INSTANCE, end + 1);
        } else {
            timers.registerProcessingTimeTimer(
                    VoidNamespace.INSTANCE,
                    seen().timerAt(WallTimers.plus(end + 1, group.lagMillis()), fired));
        }
    }

    @Override
    protected void advance(Watermark mark) throws Exception {
        if (mark.getTimestamp() == Long.MAX_VALUE) {
            // The input has ended, but no time has passed: timers would clear what a restore needs.
            seen().onWatermark(mark.getTimestamp());
            output.emitWatermark(mark);
        } else {
            super.advance(mark);
        }
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
        clearOrWait(group.timeAt(seen().now()), group, timer.getTimestamp());
    }

    /**
     * Waits longer if, since the timer was set, the window was lengthened or the clock stood still.
     *
     * @param fired the time of the timer, in processing time
     */
    private void clearOrWait(long now, Deduplicator group, long fired) throws Exception {
        Iterable<Long> passed = passedTimes.get();
        if (passed == null) {
            return;
        }
        List<Long> left = PassedTimes.from(passed, minus(now, retainedMillis));
        passedTimes.update(left);
        if (!left.isEmpty()) {
            registerTimer(PassedTimes.firstKept(left), group, fired);
        }
    }
}
