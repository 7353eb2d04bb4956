/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.Batching;
import io.sluice.flink.Duplicates;
import io.sluice.flink.IdHasher;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.WindowSettings;
import java.util.Set;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Passes first occurrences. No key context and no keyed state: an id is selected once and hashed
 * once, and nothing is allocated per record. Emits in the order in which the records came.
 *
 * @param <T> type of the records
 * @param <K> type of the ids
 */
class DeduplicateOperator<T, K> extends BatchedOperator<T, T> {

    static final String ENGINE = "deduplicate filter";

    private final KeySelector<T, K> idSelector;
    private final IdHasher<K> hasher;
    private final OnDuplicate<T> onDuplicate;

    DeduplicateOperator(
            WindowSettings settings,
            Batching batching,
            KeySelector<T, K> idSelector,
            IdHasher<K> hasher,
            OnDuplicate<T> onDuplicate,
            OnLate<T> onLate) {
        super(settings, batching, hasher.scheme().code(), onLate);
        this.idSelector = requireNonNull(idSelector, "idSelector");
        this.hasher = requireNonNull(hasher, "hasher");
        this.onDuplicate = requireNonNull(onDuplicate, "onDuplicate");
    }

    @Override
    protected String engine() {
        return ENGINE;
    }

    @Override
    protected Set<String> readableEngines() {
        return Set.of(ENGINE, VerifyingDeduplicateOperator.ENGINE);
    }

    @Override
    public void processElement(StreamRecord<T> record) throws Exception {
        K id = idSelector.getKey(record.getValue());
        batch(record, hasher.hash(id), keyGroupOf(StreamKey.hashCode(id)));
    }

    @Override
    protected void processRecord(StreamRecord<T> record, long hash, int keyGroup) throws Exception {
        switch (decide(keyGroup, hash, record)) {
            case FIRST -> output.collect(record);
            case DUPLICATE -> duplicate(record);
            case LATE -> {}
        }
    }

    private void duplicate(StreamRecord<T> record) throws Exception {
        counts().countDuplicate();
        Duplicates.handle(onDuplicate, record, output);
    }
}
