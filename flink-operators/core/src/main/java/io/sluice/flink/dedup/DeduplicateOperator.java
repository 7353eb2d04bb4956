/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.Batching;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.runtime.HashedId;
import io.sluice.flink.runtime.IdHasher;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.api.java.functions.KeySelector;
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
class DeduplicateOperator<T, K> extends FilterDeduplicateOperator<T, K> {

    static final String ENGINE = "deduplicate filter";

    private final Batching batching;

    private transient RecordBatches<T> batches;

    DeduplicateOperator(
            WindowSettings settings,
            Batching batching,
            KeySelector<T, K> idSelector,
            IdHasher<K> hasher,
            OnDuplicate<T> onDuplicate,
            @Nullable Conflicts<T> conflicts,
            OnLate<T> onLate,
            OnNullId<T> onNullId,
            PassRule rule) {
        super(
                ENGINE,
                idSelector,
                hasher,
                onDuplicate,
                conflicts,
                onNullId,
                new SeenIds<>(settings, onLate, rule, conflicts != null));
        this.batching = requireNonNull(batching, "batching");
    }

    @Override
    protected Set<String> readableLayouts() {
        return Set.of(seen().layout(ENGINE), seen().layout(VerifyingDeduplicateOperator.ENGINE));
    }

    @Override
    public void open() throws Exception {
        super.open();
        batches = RecordBatches.of(this, batching, seen(), this::decide);
        if (groups().wasRestoredFrom(seen().layout(VerifyingDeduplicateOperator.ENGINE))) {
            PassedTimes.discard(getKeyedStateBackend());
        }
    }

    @Override
    void process(StreamRecord<T> record, K id, HashedId hash) throws Exception {
        batches.add(record, hash.hash(), keyGroupOf(hash.keyHashCode()));
    }

    @Override
    Verdict note(K id, HashedId hash, long time) {
        return seen().note(keyGroupOf(hash.keyHashCode()), hash.hash(), time);
    }

    private void decide(StreamRecord<T> record, long hash, int keyGroup, long now)
            throws Exception {
        Conflicts<T> conflicts = conflicts();
        Verdict verdict =
                conflicts == null
                        ? seen().decide(keyGroup, hash, record, now)
                        : seen().decide(
                                        keyGroup,
                                        hash,
                                        conflicts.contentOf(record.getValue()),
                                        record,
                                        now);
        switch (verdict) {
            case FIRST -> output.collect(record);
            case DUPLICATE, CONFLICT, UNCOMPARED -> handleDuplicate(verdict, record);
            case LATE -> {}
        }
    }

    @Override
    protected void beforeControl() throws Exception {
        batches.flush();
    }
}
