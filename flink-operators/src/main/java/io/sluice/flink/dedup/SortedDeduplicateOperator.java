/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.runtime.Duplicates;
import io.sluice.flink.runtime.EventTime;
import io.sluice.flink.runtime.IdHasher;
import io.sluice.flink.runtime.NullIds;
import io.sluice.flink.runtime.SortedOperator;
import javax.annotation.Nullable;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Passes first occurrences of an input that is sorted by key, and by timestamp within a key: exact,
 * with the last id in memory and no state. No record is late. In processing time the whole input
 * has one time, so every record except the first of its id is a duplicate.
 *
 * @param <T> type of the records
 * @param <K> type of the ids
 */
final class SortedDeduplicateOperator<T, K> extends SortedOperator<T, T> {

    private final KeySelector<T, K> idSelector;
    private final IdHasher<K> hasher;
    private final OnDuplicate<T> onDuplicate;
    private final NullIds<T> nullIds;
    private final long windowMillis;
    private final boolean eventTime;

    private transient String description;
    private transient Counter records;
    private transient Counter duplicates;

    /** The key of the current records; null before the first. */
    @Nullable private transient Object current;

    /** The last moment at which a record with the current key is a duplicate. */
    private transient long end;

    SortedDeduplicateOperator(
            WindowSettings settings,
            KeySelector<T, K> idSelector,
            IdHasher<K> hasher,
            OnDuplicate<T> onDuplicate,
            OnNullId<T> onNullId) {
        this.idSelector = requireNonNull(idSelector, "idSelector");
        this.hasher = requireNonNull(hasher, "hasher");
        this.onDuplicate = requireNonNull(onDuplicate, "onDuplicate");
        this.nullIds = new NullIds<>(onNullId, hasher.role(), "onNullId");
        this.windowMillis = settings.windowMillis();
        this.eventTime = settings.timeDomain() == TimeDomain.EVENT;
    }

    @Override
    public void open() throws Exception {
        super.open();
        description = describe();
        MetricGroup group = getMetricGroup().addGroup(DeduplicateMetrics.GROUP);
        records = group.counter(DeduplicateMetrics.RECORDS);
        duplicates = group.counter(DeduplicateMetrics.DUPLICATES);
        nullIds.open(description, group, DeduplicateMetrics.NULL_IDS, output);
    }

    @Override
    public void processElement(StreamRecord<T> record) throws Exception {
        records.inc();
        K id = idSelector.getKey(record.getValue());
        if (id == null) {
            // Sorted among the records of another id that has the same key.
            if (nullIds.pass(record)) {
                output.collect(record);
            }
            return;
        }
        Object key = hasher.key(id);
        long time = eventTime ? EventTime.of(record, description) : 0;
        if (key.equals(current) && time <= end) {
            duplicates.inc();
            Duplicates.handle(onDuplicate, record, output);
            return;
        }
        current = key;
        end = time > Long.MAX_VALUE - windowMillis ? Long.MAX_VALUE : time + windowMillis;
        output.collect(record);
    }
}
