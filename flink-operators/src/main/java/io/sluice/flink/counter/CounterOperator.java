/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.Batching;
import io.sluice.flink.Duplicates;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.dedup.BatchedOperator;
import io.sluice.flink.dedup.Verdict;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Applies operations to counters, new ones only. The filter is asked first, so that a retry costs
 * no access to keyed state; with an interval of emission, an applied operation costs none either:
 * it is added to {@link PendingUpdates}, which reach keyed state when they are emitted.
 *
 * <p>Pending updates are flushed before every checkpoint barrier, so none needs to be in a
 * snapshot; after a failure the operations since the checkpoint are replayed, and the filter of the
 * checkpoint does not know them.
 *
 * @param <T> type of the operations
 * @param <K> type of the counters' keys
 */
final class CounterOperator<T, K> extends BatchedOperator<T, CounterValue<K>> {

    private static final String WITH_FILTER = "counters with filter";
    private static final String WITHOUT_FILTER = "counters without filter";

    private final KeySelector<T, K> counterSelector;
    @Nullable private final OperationHasher<T, K, ?> hasher;
    private final Delta<T> delta;
    private final OnDuplicate<T> onDuplicate;
    private final long emitMillis;
    private final TypeSerializer<K> counterSerializer;

    private transient ValueState<CounterTotal> totals;
    private transient PendingUpdates<K> pending;
    private transient StreamRecord<CounterValue<K>> emitted;

    /**
     * @param hasher null for counters without a filter
     * @param emitMillis interval of emission; 0 for every update
     */
    CounterOperator(
            WindowSettings settings,
            Batching batching,
            KeySelector<T, K> counterSelector,
            @Nullable OperationHasher<T, K, ?> hasher,
            Delta<T> delta,
            OnDuplicate<T> onDuplicate,
            OnLate<T> onLate,
            long emitMillis,
            TypeSerializer<K> counterSerializer) {
        super(settings, batching, hasher == null ? 0 : hasher.schemeCode(), onLate);
        this.counterSelector = requireNonNull(counterSelector, "counterSelector");
        this.hasher = hasher;
        this.delta = requireNonNull(delta, "delta");
        this.onDuplicate = requireNonNull(onDuplicate, "onDuplicate");
        this.emitMillis = emitMillis;
        this.counterSerializer = requireNonNull(counterSerializer, "counterSerializer");
    }

    @Override
    protected String engine() {
        return hasher == null ? WITHOUT_FILTER : WITH_FILTER;
    }

    @Override
    public void open() throws Exception {
        super.open();
        totals =
                getPartitionedState(
                        new ValueStateDescriptor<>("total", CounterTotalSerializer.INSTANCE));
        pending = new PendingUpdates<>();
        emitted = new StreamRecord<>(null);
        if (emitMillis > 0) {
            callEvery(emitMillis, now -> flush());
        }
    }

    @Override
    public void processElement(StreamRecord<T> record) throws Exception {
        T operation = record.getValue();
        K counter = counterSelector.getKey(operation);
        if (hasher == null) {
            readClock();
            counts().countRecord();
            apply(counter, delta.of(operation), 0, timestampOf(record));
        } else {
            batch(record, hasher.hash(counter, operation), keyGroupOf(counter.hashCode()));
        }
    }

    @Override
    protected void processRecord(StreamRecord<T> record, long hash, int keyGroup) throws Exception {
        Verdict verdict = decide(keyGroup, hash, record);
        if (verdict == Verdict.FIRST) {
            T operation = record.getValue();
            double fpp = groups().get(keyGroup).predictedFpp();
            K counter = counterSelector.getKey(operation);
            apply(counter, delta.of(operation), fpp, timestampOf(record));
        } else if (verdict == Verdict.DUPLICATE) {
            counts().countDuplicate();
            Duplicates.divert(onDuplicate, record, output);
        }
    }

    private void apply(K counter, long amount, double fpp, long timestamp) throws Exception {
        double undercount = CounterTotal.undercount(amount, fpp);
        if (emitMillis == 0) {
            emit(counter, amount, undercount, timestamp);
            return;
        }
        PendingUpdates.Update update = pending.find(counter);
        if (update == null) {
            if (pending.isFull()) {
                flush();
            }
            update = pending.create(counterSerializer.copy(counter));
        }
        update.add(amount, undercount, timestamp);
    }

    private void flush() throws Exception {
        for (Map.Entry<K, PendingUpdates.Update> entry : pending.all()) {
            PendingUpdates.Update update = entry.getValue();
            emit(entry.getKey(), update.delta(), update.undercount(), update.timestamp());
        }
        pending.clear();
    }

    private void emit(K counter, long amount, double undercount, long timestamp) throws Exception {
        setCurrentKey(counter);
        CounterTotal before = totals.value();
        CounterTotal total = (before == null ? CounterTotal.ZERO : before).plus(amount, undercount);
        totals.update(total);
        CounterValue<K> value =
                new CounterValue<>(counter, total.value(), total.expectedUndercount(), timestamp);
        output.collect(emitted.replace(value, timestamp));
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        super.prepareSnapshotPreBarrier(checkpointId);
        flush();
    }

    @Override
    public void finish() throws Exception {
        processBatch();
        flush();
        super.finish();
    }
}
