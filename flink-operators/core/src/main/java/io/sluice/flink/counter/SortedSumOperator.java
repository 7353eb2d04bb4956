/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.flink.runtime.Duplicates;
import io.sluice.flink.runtime.EventTime;
import io.sluice.flink.runtime.NullIds;
import io.sluice.flink.runtime.SortedOperator;
import javax.annotation.Nullable;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * The first of two phases for operations that are sorted by id, and by timestamp within an id:
 * exact, with one id and its counters in memory beside the sums, and no state. No operation is
 * late.
 *
 * @param <T> type of the operations
 * @param <K> type of the counters' keys
 * @param <I> type of the operations' ids
 */
final class SortedSumOperator<T, K, I> extends SortedOperator<T, CounterUpdate<K>> {

    private final Counting<T, K> counting;
    private final WindowSettings settings;
    private final OperationHasher<T, K, I> hasher;
    private final OnDuplicate<T> onDuplicate;
    private final NullIds<T> nullCounters;
    private final NullIds<T> nullIds;
    private final boolean eventTime;

    private transient String description;
    private transient Counter records;
    private transient Counter duplicates;
    private transient SortedOperations counters;
    private transient LocalSums<K> sums;

    /** The key of the current id; null before the first. */
    @Nullable private transient Object current;

    SortedSumOperator(
            Counting<T, K> counting,
            WindowSettings settings,
            OperationHasher<T, K, I> hasher,
            OnDuplicate<T> onDuplicate,
            OnNullId<T> onNullId) {
        this.counting = requireNonNull(counting, "counting");
        this.settings = requireNonNull(settings, "settings");
        this.hasher = requireNonNull(hasher, "hasher");
        this.onDuplicate = requireNonNull(onDuplicate, "onDuplicate");
        this.nullCounters = counting.nullCounters();
        this.nullIds = new NullIds<>(onNullId, hasher.idHasher().role(), "onNullId");
        this.eventTime = settings.timeDomain() == TimeDomain.EVENT;
    }

    @Override
    public void open() throws Exception {
        super.open();
        description = describe();
        MetricGroup metrics = getMetricGroup().addGroup(DeduplicateMetrics.GROUP);
        records = metrics.counter(DeduplicateMetrics.RECORDS);
        duplicates = metrics.counter(DeduplicateMetrics.DUPLICATES);
        nullCounters.open(description, metrics, DeduplicateMetrics.NULL_COUNTERS, output);
        nullIds.open(description, metrics, DeduplicateMetrics.NULL_IDS, output);
        counters = new SortedOperations(settings.windowMillis());
        // Totals that expire look at the time of each operation.
        sums = new LocalSums<>(counting.expiry().isOn() ? counting.emittingEach() : counting);
        sums.open(this, getMetricGroup(), output);
    }

    @Override
    public void processElement(StreamRecord<T> record) throws Exception {
        records.inc();
        T operation = record.getValue();
        K counter = counting.selector().getKey(operation);
        if (counter == null) {
            // Sorted among the operations of its id.
            boolean unused = nullCounters.pass(record);
            return;
        }
        long time =
                eventTime
                        ? EventTime.of(record, description)
                        : getProcessingTimeService().getCurrentProcessingTime();
        if (isNew(counter, record, time)) {
            sums.apply(counter, counting.delta().of(operation), 0, time);
        }
    }

    private boolean isNew(K counter, StreamRecord<T> record, long time) throws Exception {
        I id = hasher.id(record.getValue());
        if (id == null) {
            // Sorted among the operations of another id that has the same key.
            return nullIds.pass(record);
        }
        Object key = hasher.idHasher().key(id);
        if (!key.equals(current)) {
            current = key;
            counters.clear();
        }
        if (counters.isFirst(counting.hasher().key(counter), eventTime ? time : 0)) {
            counting.acknowledge(record, output);
            return true;
        }
        duplicates.inc();
        counting.acknowledge(record, output);
        Duplicates.divert(onDuplicate, record, output);
        return false;
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        sums.flush();
        super.processWatermark(mark);
    }

    @Override
    public void finish() throws Exception {
        sums.flush();
        super.finish();
    }
}
