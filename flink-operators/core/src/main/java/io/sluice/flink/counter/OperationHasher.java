/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.runtime.IdHasher;
import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.api.java.functions.KeySelector;

/**
 * The hash of an operation: that of its counter combined with that of its id. What is hashed is
 * part of the format. Does not allocate. Not thread-safe.
 *
 * @param <T> type of the operations
 * @param <K> type of the counters' keys
 * @param <I> type of the operations' ids
 */
final class OperationHasher<T, K, I> implements Serializable {

    private final IdHasher<K> counterHasher;
    private final KeySelector<T, I> idSelector;
    private final IdHasher<I> idHasher;

    OperationHasher(IdHasher<K> counterHasher, KeySelector<T, I> idSelector, IdHasher<I> idHasher) {
        this.counterHasher = requireNonNull(counterHasher, "counterHasher");
        this.idSelector = requireNonNull(idSelector, "idSelector");
        this.idHasher = requireNonNull(idHasher, "idHasher");
    }

    /** Returns the hasher of the operations' ids. */
    IdHasher<I> idHasher() {
        return idHasher;
    }

    /** Returns the hash of an operation on {@code counter} with {@code id}; neither is null. */
    long hash(K counter, I id) throws Exception {
        // The counter comes last: its key is needed next, and both may share one hasher.
        long idHash = idHasher.hash(id);
        return counterHasher.hashing().combine(counterHasher.hash(counter), idHash);
    }

    /** {@link IdHasher#keyHashCode} of the counter in the last {@link #hash}. */
    int counterKeyHashCode() {
        return counterHasher.keyHashCode();
    }

    /** Returns the id of an operation, or null. */
    @Nullable
    I id(T operation) throws Exception {
        return idSelector.getKey(operation);
    }
}
