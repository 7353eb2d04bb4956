/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.Batching;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.flink.dedup.Deduplicator;
import io.sluice.flink.dedup.RecordBatches;
import io.sluice.flink.dedup.SeenElsewhere;
import io.sluice.flink.dedup.SeenIds;
import io.sluice.flink.dedup.Verdict;
import io.sluice.flink.runtime.Duplicates;
import io.sluice.flink.runtime.HashedId;
import io.sluice.flink.runtime.IdsIdentity;
import io.sluice.flink.runtime.KeyGroupedState;
import io.sluice.flink.runtime.NullIds;
import io.sluice.flink.runtime.OptionalSecondInput;
import io.sluice.flink.runtime.StateIdentity;
import java.io.IOException;
import java.util.Set;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Counts new operations. The filter is asked first, so that a retry costs no access to keyed state.
 * The second input has operations that were counted elsewhere.
 *
 * @param <T> type of the operations
 * @param <K> type of the counters' keys
 * @param <I> type of the operations' ids
 * @param <OUT> type of what is emitted
 */
final class CounterOperator<T, K, I, OUT> extends CountingOperator<T, K, Deduplicator, OUT>
        implements OptionalSecondInput<T, MissedOperation<K, I>, OUT> {

    /** Amount that the counters are expected to miss, since the subtask started. */
    static final String EXPECTED_UNDERCOUNT = "expectedUndercount";

    private final String engine;
    private final Batching batching;
    private final OperationHasher<T, K, I> hasher;
    private final OnDuplicate<T> onDuplicate;
    private final NullIds<T> nullIds;
    private final SeenIds<T> seen;
    private final long olderMillis;

    private transient RecordBatches<T> batches;
    private transient HashedId hashed;
    private transient SeenElsewhere elsewhere;

    /** Read by threads of metrics, which may see an older value. */
    private transient double expectedUndercount;

    /**
     * @param emission totals, or sums in the first of two phases
     * @param olderMillis by how much an operation may be older than its correction
     */
    CounterOperator(
            Counting<T, K> counting,
            CountedOperations.Emission<K, OUT> emission,
            WindowSettings settings,
            Batching batching,
            OperationHasher<T, K, I> hasher,
            OnDuplicate<T> onDuplicate,
            OnLate<T> onLate,
            OnNullId<T> onNullId,
            long olderMillis) {
        super(counting, emission);
        this.engine = emission.engine();
        this.olderMillis = olderMillis;
        this.batching = requireNonNull(batching, "batching");
        this.hasher = requireNonNull(hasher, "hasher");
        this.onDuplicate = requireNonNull(onDuplicate, "onDuplicate");
        this.nullIds = new NullIds<>(onNullId, hasher.idHasher().role(), "onNullId");
        this.seen = new SeenIds<>(settings, onLate);
    }

    @Override
    protected String layout() {
        return seen.layout(engine);
    }

    @Override
    protected Set<String> readableLayouts() {
        return Set.of(layout());
    }

    @Override
    protected StateIdentity identity() throws IOException {
        return IdsIdentity.ofHashed(
                getUserCodeClassloader(), counting().hasher(), hasher.idHasher());
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
        startCounting(context, clock);
    }

    @Override
    public void open() throws Exception {
        super.open();
        seen.open(getMetricGroup(), output);
        checkHeap(seen.memory());
        MetricGroup metrics = getMetricGroup().addGroup(DeduplicateMetrics.GROUP);
        nullIds.open(describe(), metrics, DeduplicateMetrics.NULL_IDS, output);
        metrics.gauge(EXPECTED_UNDERCOUNT, (Gauge<Double>) () -> expectedUndercount);
        callEvery(seen.timerMillis(), unused -> seen.onTimer());
        hashed = new HashedId();
        elsewhere = new SeenElsewhere(getMetricGroup(), DeduplicateMetrics.CORRECTED);
        batches = RecordBatches.of(this, batching, seen, this::decide);
    }

    @Override
    public void processElement(StreamRecord<T> record) throws Exception {
        T operation = record.getValue();
        K counter = counting().selector().getKey(operation);
        I id = counter == null ? null : hasher.id(operation);
        if (id == null) {
            withoutId(counter, record);
            return;
        }
        hasher.hash(counter, id, hashed);
        batches.add(record, hashed.hash(), keyGroupOf(hashed.keyHashCode()));
    }

    @Override
    public void processElement2(StreamRecord<MissedOperation<K, I>> record) throws Exception {
        // The operations that wait came before it.
        batches.flush();
        MissedOperation<K, I> missed = record.getValue();
        if (missed.counter() == null) {
            missedWithoutCounter();
        } else if (missed.operation() == null) {
            nullIds.count();
        } else {
            correct(missed, record);
        }
    }

    private void correct(MissedOperation<K, I> missed, StreamRecord<?> record) throws Exception {
        hasher.hash(missed.counter(), missed.operation(), hashed);
        int keyGroup = keyGroupOf(hashed.keyHashCode());
        long now = seen.readClock();
        long time = seen.timeElsewhere(keyGroup, record, now);
        Verdict verdict = seen.note(keyGroup, hashed.hash(), time, olderMillis);
        elsewhere.count(verdict);
        if (verdict == Verdict.FIRST) {
            count(missed.counter(), missed.delta(), keyGroup, seen.isEventTime() ? time : now);
        }
    }

    private void withoutId(@Nullable K counter, StreamRecord<T> record) throws Exception {
        // It must not overtake the records that wait.
        batches.flush();
        seen.counts().countRecord();
        if (counter == null) {
            withoutCounter(record);
        } else if (nullIds.pass(record)) {
            long amount = counting().delta().of(record.getValue());
            add(counter, amount, 0, seen.timestampOf(record, seen.readClock()));
        }
    }

    private void decide(StreamRecord<T> record, long hash, int keyGroup, long now)
            throws Exception {
        Verdict verdict = seen.decide(keyGroup, hash, record, now);
        if (verdict == Verdict.FIRST) {
            T operation = record.getValue();
            K counter = counting().selector().getKey(operation);
            long amount = counting().delta().of(operation);
            count(counter, amount, keyGroup, seen.timestampOf(record, now));
            counting().acknowledge(record, output);
        } else if (verdict == Verdict.DUPLICATE) {
            seen.counts().countDuplicate();
            counting().acknowledge(record, output);
            Duplicates.divert(onDuplicate, record, output);
        }
    }

    /** Adds what an operation that the filter of {@code keyGroup} did not know adds. */
    private void count(K counter, long amount, int keyGroup, long timestamp) throws Exception {
        double fpp = groups().get(keyGroup).predictedFpp();
        double undercount = CounterTotal.undercount(amount, fpp);
        expectedUndercount += undercount;
        add(counter, amount, undercount, timestamp);
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
