/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.runtime.Duplicates;
import io.sluice.flink.runtime.HashedId;
import io.sluice.flink.runtime.IdHasher;
import io.sluice.flink.runtime.IdsIdentity;
import io.sluice.flink.runtime.KeyGroupedOperator;
import io.sluice.flink.runtime.KeyGroupedState;
import io.sluice.flink.runtime.NullIds;
import io.sluice.flink.runtime.OptionalSecondInput;
import io.sluice.flink.runtime.StateIdentity;
import java.io.IOException;
import java.util.Set;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Holds the ids of each key group in a filter, whatever is decided from its answers. The second
 * input has ids that were seen elsewhere.
 *
 * @param <T> type of the records
 * @param <K> type of the ids
 */
abstract class FilterDeduplicateOperator<T, K> extends KeyGroupedOperator<T, T, Deduplicator>
        implements OptionalSecondInput<T, K, T> {

    private final String engine;
    private final KeySelector<T, K> idSelector;
    private final IdHasher<K> hasher;
    private final OnDuplicate<T> onDuplicate;
    @Nullable private final Conflicts<T> conflicts;
    private final NullIds<T> nullIds;
    private final SeenIds<T> seen;

    private transient HashedId hashed;
    private transient SeenElsewhere elsewhere;

    /**
     * @param engine name of the engine, part of the state's layout
     * @param conflicts null if contents are not compared
     */
    FilterDeduplicateOperator(
            String engine,
            KeySelector<T, K> idSelector,
            IdHasher<K> hasher,
            OnDuplicate<T> onDuplicate,
            @Nullable Conflicts<T> conflicts,
            OnNullId<T> onNullId,
            SeenIds<T> seen) {
        this.engine = engine;
        this.idSelector = requireNonNull(idSelector, "idSelector");
        this.hasher = requireNonNull(hasher, "hasher");
        this.onDuplicate = requireNonNull(onDuplicate, "onDuplicate");
        this.conflicts = conflicts;
        this.nullIds = new NullIds<>(onNullId, hasher.role(), "onNullId");
        this.seen = seen;
    }

    final IdHasher<K> hasher() {
        return hasher;
    }

    /** Returns what compares contents, null if nothing does. */
    @Nullable
    final Conflicts<T> conflicts() {
        return conflicts;
    }

    /** Counts a duplicate, and does with it what was asked for. */
    final void handleDuplicate(Verdict verdict, StreamRecord<T> record) throws Exception {
        seen.counts().countDuplicate();
        if (conflicts != null) {
            conflicts.handle(verdict, record, output);
        }
        Duplicates.handle(onDuplicate, record, output);
    }

    final SeenIds<T> seen() {
        return seen;
    }

    /** Decides about a record that has an id. */
    abstract void process(StreamRecord<T> record, K id, HashedId hash) throws Exception;

    /**
     * Remembers an id that was seen elsewhere.
     *
     * @param time what {@link SeenIds#timeElsewhere} says
     */
    abstract Verdict note(K id, HashedId hash, long time) throws Exception;

    @Override
    protected final String layout() {
        return seen.layout(engine);
    }

    @Override
    protected Set<String> readableLayouts() {
        return Set.of(layout());
    }

    @Override
    protected final StateIdentity identity() throws IOException {
        return IdsIdentity.ofHashedWithContent(
                getUserCodeClassloader(), hasher, conflicts == null ? null : conflicts.hasher());
    }

    @Override
    protected KeyGroupedState.Handler<Deduplicator> createHandler() {
        return seen.handler(getRuntimeContext().getTaskInfo());
    }

    @Override
    public final void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        LongSupplier clock = steadyWallClock(seen.downtimeCounts());
        seen.start(describe(), groups(), getProcessingTimeService(), clock);
    }

    @Override
    public void open() throws Exception {
        super.open();
        seen.open(getMetricGroup(), output);
        checkHeap(seen.memory());
        if (conflicts != null) {
            conflicts.open(getMetricGroup().addGroup(DeduplicateMetrics.GROUP));
        }
        nullIds.open(
                describe(),
                getMetricGroup().addGroup(DeduplicateMetrics.GROUP),
                DeduplicateMetrics.NULL_IDS,
                output);
        callEvery(seen.timerMillis(), unused -> seen.onTimer());
        hashed = new HashedId();
        elsewhere = new SeenElsewhere(getMetricGroup(), DeduplicateMetrics.ALSO_SEEN);
    }

    @Override
    public final void processElement(StreamRecord<T> record) throws Exception {
        K id = idSelector.getKey(record.getValue());
        if (id == null) {
            // It must not overtake the records that wait.
            beforeControl();
            seen.counts().countRecord();
            if (nullIds.pass(record)) {
                output.collect(record);
            }
            return;
        }
        hasher.hash(id, hashed);
        process(record, id, hashed);
    }

    @Override
    public final void processElement2(StreamRecord<K> record) throws Exception {
        // The records that wait came before it.
        beforeControl();
        K id = record.getValue();
        if (id == null) {
            nullIds.count();
            return;
        }
        hasher.hash(id, hashed);
        int keyGroup = keyGroupOf(hashed.keyHashCode());
        long time = seen.timeElsewhere(keyGroup, record, seen.readClock());
        elsewhere.count(note(id, hashed, time));
    }

    @Override
    protected void advance(Watermark mark) throws Exception {
        seen.onWatermark(mark.getTimestamp());
        super.advance(mark);
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        seen.beforeSnapshot();
        super.snapshotState(context);
        seen.afterSnapshot();
    }

    @Override
    public final void finish() throws Exception {
        super.finish();
        seen.finish();
    }
}
