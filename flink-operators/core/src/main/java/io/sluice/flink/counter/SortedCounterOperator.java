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
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Applies operations that are sorted by counter, and by timestamp within a counter: exact, with one
 * counter and the ids of its window in memory, and no state. No operation is late.
 *
 * <p>With an interval of emission a counter is emitted once, when the next one or the end of the
 * input comes. A counter expires when its own next operation shows that it was not touched for long
 * enough; then its value is emitted. In processing time the whole input has one time: every
 * repetition of an id is a retry, and counters do not expire.
 *
 * @param <T> type of the operations
 * @param <K> type of the counters' keys
 * @param <I> type of the operations' ids
 */
final class SortedCounterOperator<T, K, I> extends SortedOperator<T, CounterValue<K>> {

    private final Counting<T, K> counting;
    private final WindowSettings settings;
    @Nullable private final OperationHasher<T, K, I> hasher;
    private final OnDuplicate<T> onDuplicate;
    private final NullIds<T> nullCounters;
    private final NullIds<T> nullIds;
    private final boolean eventTime;

    private transient String description;
    private transient Counter records;
    private transient Counter duplicates;
    private transient Counter expired;
    private transient SortedOperations operations;
    private transient StreamRecord<CounterValue<K>> emitted;

    /** The key of the current counter; null before the first. */
    @Nullable private transient Object current;

    private transient K counter;
    private transient long total;

    /** Whether an operation was applied since the counter began or came back. */
    private transient boolean touched;

    /** Whether the total has not been emitted. */
    private transient boolean changed;

    /** Timestamp of the youngest operation applied to the current counter. */
    private transient long timestamp;

    /**
     * @param hasher null to apply retries too
     */
    SortedCounterOperator(
            Counting<T, K> counting,
            WindowSettings settings,
            @Nullable OperationHasher<T, K, I> hasher,
            OnDuplicate<T> onDuplicate,
            OnNullId<T> onNullId) {
        this.counting = requireNonNull(counting, "counting");
        this.settings = requireNonNull(settings, "settings");
        this.hasher = hasher;
        this.onDuplicate = requireNonNull(onDuplicate, "onDuplicate");
        this.nullCounters = counting.nullCounters();
        this.nullIds =
                new NullIds<>(
                        onNullId,
                        hasher == null ? "operation" : hasher.idHasher().role(),
                        "onNullId");
        this.eventTime = settings.timeDomain() == TimeDomain.EVENT;
    }

    @Override
    public void open() throws Exception {
        super.open();
        description = describe();
        MetricGroup metrics = getMetricGroup().addGroup(DeduplicateMetrics.GROUP);
        records = metrics.counter(DeduplicateMetrics.RECORDS);
        nullCounters.open(description, metrics, DeduplicateMetrics.NULL_COUNTERS, output);
        duplicates = new SimpleCounter();
        if (hasher != null) {
            metrics.counter(DeduplicateMetrics.DUPLICATES, duplicates);
            nullIds.open(description, metrics, DeduplicateMetrics.NULL_IDS, output);
        }
        expired = new SimpleCounter();
        if (counting.expiry().isOn()) {
            metrics.counter(ExpiringCounters.EXPIRED, expired);
        }
        operations = new SortedOperations(settings.windowMillis());
        emitted = new StreamRecord<>(null);
    }

    @Override
    public void processElement(StreamRecord<T> record) throws Exception {
        records.inc();
        T operation = record.getValue();
        K key = counting.selector().getKey(operation);
        if (key == null) {
            // Sorted among the operations of another counter that has the same key.
            boolean unused = nullCounters.pass(record);
            return;
        }
        begin(key);
        long time =
                eventTime
                        ? EventTime.of(record, description)
                        : getProcessingTimeService().getCurrentProcessingTime();
        if (isNew(record, time)) {
            apply(counting.delta().of(operation), time);
        }
    }

    /** Makes {@code key} the current counter. */
    private void begin(K key) throws Exception {
        Object streamKey = counting.hasher().key(key);
        if (streamKey.equals(current)) {
            return;
        }
        emitChanged();
        current = streamKey;
        counter = counting.serializer().copy(key);
        total = 0;
        touched = false;
        operations.clear();
    }

    private boolean isNew(StreamRecord<T> record, long time) throws Exception {
        if (hasher == null) {
            counting.acknowledge(record, output);
            return true;
        }
        I id = hasher.id(record.getValue());
        if (id == null) {
            return nullIds.pass(record);
        }
        if (operations.isFirst(hasher.idHasher().key(id), eventTime ? time : 0)) {
            counting.acknowledge(record, output);
            return true;
        }
        duplicates.inc();
        counting.acknowledge(record, output);
        Duplicates.divert(onDuplicate, record, output);
        return false;
    }

    private void apply(long amount, long time) {
        CounterExpiry expiry = counting.expiry();
        if (expiry.isOn() && eventTime && touched && expiry.end(timestamp) < time) {
            emitChanged();
            total = 0;
            expired.inc();
        }
        total += amount;
        timestamp = time;
        touched = true;
        changed = true;
        if (counting.emitsEveryUpdate()) {
            emitChanged();
        }
    }

    private void emitChanged() {
        if (changed) {
            changed = false;
            CounterValue<K> value = new CounterValue<>(counter, total, 0, timestamp);
            output.collect(emitted.replace(value, timestamp));
        }
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        emitChanged();
        super.processWatermark(mark);
    }

    @Override
    public void finish() throws Exception {
        emitChanged();
        super.finish();
    }
}
