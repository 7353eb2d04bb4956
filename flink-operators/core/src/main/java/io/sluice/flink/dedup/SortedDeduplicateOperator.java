/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.TimeDomain;
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
 * has one time, so every record except the first of its id, or as many as the {@link PassRule}
 * allows, is a duplicate.
 *
 * @param <T> type of the records
 * @param <K> type of the ids
 */
final class SortedDeduplicateOperator<T, K> extends SortedOperator<T, T> {

    private final KeySelector<T, K> idSelector;
    private final IdHasher<K> hasher;
    private final OnDuplicate<T> onDuplicate;
    @Nullable private final Conflicts<T> conflicts;
    private final NullIds<T> nullIds;
    private final PassRule rule;
    private final long windowMillis;
    private final boolean eventTime;

    private transient String description;
    private transient Counter records;
    private transient Counter duplicates;

    /** The key of the current records; null before the first. */
    @Nullable private transient Object current;

    /**
     * For the last records of the current key that passed, in a ring: the ends of their windows.
     */
    private transient long[] ends;

    /** The hashes of their contents, if these are compared. */
    private transient long[] contents;

    /** How many of the current key passed. */
    private transient long passed;

    SortedDeduplicateOperator(
            long windowMillis,
            TimeDomain timeDomain,
            KeySelector<T, K> idSelector,
            IdHasher<K> hasher,
            OnDuplicate<T> onDuplicate,
            @Nullable Conflicts<T> conflicts,
            OnNullId<T> onNullId,
            PassRule rule) {
        this.idSelector = requireNonNull(idSelector, "idSelector");
        this.hasher = requireNonNull(hasher, "hasher");
        this.onDuplicate = requireNonNull(onDuplicate, "onDuplicate");
        this.conflicts = conflicts;
        this.nullIds = new NullIds<>(onNullId, hasher.role(), "onNullId");
        this.rule = requireNonNull(rule, "rule");
        this.windowMillis = windowMillis;
        this.eventTime = timeDomain == TimeDomain.EVENT;
    }

    @Override
    public void open() throws Exception {
        super.open();
        description = describe();
        ends = new long[rule.limit()];
        contents = new long[rule.limit()];
        MetricGroup group = getMetricGroup().addGroup(DeduplicateMetrics.GROUP);
        records = group.counter(DeduplicateMetrics.RECORDS);
        duplicates = group.counter(DeduplicateMetrics.DUPLICATES);
        nullIds.open(description, group, DeduplicateMetrics.NULL_IDS, output);
        if (conflicts != null) {
            conflicts.open(group);
        }
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
        if (!key.equals(current)) {
            current = key;
            passed = 0;
        }
        long content = conflicts == null ? 0 : conflicts.contentOf(record.getValue());
        // The oldest of as many as may pass in a window.
        int at = (int) (passed % ends.length);
        long end = time > Long.MAX_VALUE - windowMillis ? Long.MAX_VALUE : time + windowMillis;
        if (passed >= ends.length && time <= ends[at]) {
            if (rule.resetOnDuplicate()) {
                ends[at] = end;
            }
            duplicates.inc();
            if (conflicts != null) {
                conflicts.handle(compared(content), record, output);
            }
            Duplicates.handle(onDuplicate, record, output);
            return;
        }
        ends[at] = end;
        contents[at] = content;
        passed++;
        output.collect(record);
    }

    /** All of the ring are within the window. */
    private Verdict compared(long content) {
        for (long passedContent : contents) {
            if (passedContent == content) {
                return Verdict.DUPLICATE;
            }
        }
        return Verdict.CONFLICT;
    }
}
