/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import javax.annotation.Nullable;
import org.apache.flink.api.java.functions.KeySelector;

/**
 * What another replica needs to count an operation; null without a counter or an id.
 *
 * @param <T> type of the operations
 * @param <K> type of the counters' keys
 * @param <I> type of the operations' ids
 */
final class MissedOperations<T, K, I> implements KeySelector<T, MissedOperation<K, I>> {

    private final KeySelector<T, K> counters;
    private final KeySelector<T, I> ids;
    private final Delta<T> delta;

    MissedOperations(KeySelector<T, K> counters, OperationId<T, I> id, Delta<T> delta) {
        this.counters = counters;
        this.ids = id.selector();
        this.delta = delta;
    }

    @Override
    @Nullable
    public MissedOperation<K, I> getKey(T operation) throws Exception {
        K counter = counters.getKey(operation);
        I id = counter == null ? null : ids.getKey(operation);
        return id == null ? null : new MissedOperation<>(counter, id, delta.of(operation));
    }
}
