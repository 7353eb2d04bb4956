/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.Batching;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.runtime.Duplicates;
import io.sluice.flink.runtime.HashedId;
import io.sluice.flink.runtime.IdHasher;
import io.sluice.flink.runtime.IdsIdentity;
import io.sluice.flink.runtime.KeyGroupedOperator;
import io.sluice.flink.runtime.KeyGroupedState;
import io.sluice.flink.runtime.NullIds;
import io.sluice.flink.runtime.StateIdentity;
import java.io.IOException;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Passes first occurrences. It has no key context and no keyed state: an id is selected once and
 * hashed once, and records do not allocate. Emits in the order in which the records came. How many
 * records of an id pass is up to a {@link PassRule}. From the state of a {@link
 * VerifyingDeduplicateOperator} it restores the filters and deletes the exact state.
 *
 * @param <T> type of the records
 * @param <K> type of the ids
 */
class DeduplicateOperator<T, K> extends KeyGroupedOperator<T, T, Deduplicator> {

    static final String ENGINE = "deduplicate filter";

    private final Batching batching;
    private final KeySelector<T, K> idSelector;
    private final IdHasher<K> hasher;
    private final OnDuplicate<T> onDuplicate;
    private final NullIds<T> nullIds;
    private final SeenIds<T> seen;

    private transient RecordBatches<T> batches;
    private transient HashedId hashed;

    DeduplicateOperator(
            WindowSettings settings,
            Batching batching,
            KeySelector<T, K> idSelector,
            IdHasher<K> hasher,
            OnDuplicate<T> onDuplicate,
            OnLate<T> onLate,
            OnNullId<T> onNullId,
            PassRule rule) {
        this.batching = requireNonNull(batching, "batching");
        this.idSelector = requireNonNull(idSelector, "idSelector");
        this.hasher = requireNonNull(hasher, "hasher");
        this.onDuplicate = requireNonNull(onDuplicate, "onDuplicate");
        this.nullIds = new NullIds<>(onNullId, hasher.role(), "onNullId");
        this.seen = new SeenIds<>(settings, onLate, rule);
    }

    @Override
    protected String layout() {
        return seen.layout(ENGINE);
    }

    @Override
    protected Set<String> readableLayouts() {
        return Set.of(seen.layout(ENGINE), seen.layout(VerifyingDeduplicateOperator.ENGINE));
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
        hashed = new HashedId();
        batches = RecordBatches.of(this, batching, seen, this::decide);
        if (groups().wasRestoredFrom(seen.layout(VerifyingDeduplicateOperator.ENGINE))) {
            PassedTimes.discard(getKeyedStateBackend());
        }
    }

    @Override
    public void processElement(StreamRecord<T> record) throws Exception {
        K id = idSelector.getKey(record.getValue());
        if (id == null) {
            withoutId(record);
            return;
        }
        hasher.hash(id, hashed);
        batches.add(record, hashed.hash(), keyGroupOf(hashed.keyHashCode()));
    }

    private void withoutId(StreamRecord<T> record) throws Exception {
        // It must not overtake the records that wait.
        batches.flush();
        seen.counts().countRecord();
        if (nullIds.pass(record)) {
            output.collect(record);
        }
    }

    private void decide(StreamRecord<T> record, long hash, int keyGroup, long now)
            throws Exception {
        switch (seen.decide(keyGroup, hash, record, now)) {
            case FIRST -> output.collect(record);
            case DUPLICATE -> {
                seen.counts().countDuplicate();
                Duplicates.handle(onDuplicate, record, output);
            }
            case LATE -> {}
        }
    }

    @Override
    protected void beforeControl() throws Exception {
        batches.flush();
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
    public void finish() throws Exception {
        super.finish();
        seen.finish();
    }
}
