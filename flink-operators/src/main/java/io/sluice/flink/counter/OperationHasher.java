/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.hash.Hashing;
import io.sluice.flink.IdHasher;
import java.io.Serializable;
import org.apache.flink.api.java.functions.KeySelector;

/**
 * The hash of an operation: of its counter, combined with that of its id. What is hashed is part of
 * the format. Allocates nothing. Not thread-safe.
 *
 * @param <T> type of the operations
 * @param <K> type of the counters' keys
 * @param <I> type of the operations' ids
 */
final class OperationHasher<T, K, I> implements Serializable {

    /** Room for further schemes of ids beside those of counters in one persistent code. */
    private static final int SCHEMES = 16;

    private final IdHasher<K> counterHasher;
    private final KeySelector<T, I> idSelector;
    private final IdHasher<I> idHasher;

    OperationHasher(IdHasher<K> counterHasher, KeySelector<T, I> idSelector, IdHasher<I> idHasher) {
        this.counterHasher = requireNonNull(counterHasher, "counterHasher");
        this.idSelector = requireNonNull(idSelector, "idSelector");
        this.idHasher = requireNonNull(idHasher, "idHasher");
    }

    /** Persistent code of what is hashed. */
    int schemeCode() {
        return counterHasher.scheme().code() * SCHEMES + idHasher.scheme().code();
    }

    long hash(K counter, T operation) throws Exception {
        return Hashing.combine(
                counterHasher.hash(counter), idHasher.hash(idSelector.getKey(operation)));
    }
}
