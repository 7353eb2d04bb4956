/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.runtime.HashedId;
import io.sluice.flink.runtime.IdHasher;
import java.io.IOException;
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
    private final boolean keyedById;

    /**
     * @param keyedById whether operations are distributed by their ids instead of their counters
     */
    OperationHasher(
            IdHasher<K> counterHasher,
            KeySelector<T, I> idSelector,
            IdHasher<I> idHasher,
            boolean keyedById) {
        this.counterHasher = requireNonNull(counterHasher, "counterHasher");
        this.idSelector = requireNonNull(idSelector, "idSelector");
        this.idHasher = requireNonNull(idHasher, "idHasher");
        this.keyedById = keyedById;
    }

    /** Returns the hasher of the operations' ids. */
    IdHasher<I> idHasher() {
        return idHasher;
    }

    /**
     * Puts the hash of an operation on {@code counter} with {@code id} into {@code into}, and the
     * hash code of the key by which it is distributed. Neither is null.
     */
    void hash(K counter, I id, HashedId into) throws IOException {
        if (keyedById) {
            long counterHash = counterHasher.hash(counter);
            idHasher.hash(id, into);
            into.set(counterHasher.hashing().combine(counterHash, into.hash()), into.keyHashCode());
        } else {
            long idHash = idHasher.hash(id);
            counterHasher.hash(counter, into);
            into.set(counterHasher.hashing().combine(into.hash(), idHash), into.keyHashCode());
        }
    }

    /** Returns what gives the id of an operation, or null. */
    KeySelector<T, I> idSelector() {
        return idSelector;
    }

    /** Returns the id of an operation, or null. */
    @Nullable
    I id(T operation) throws Exception {
        return idSelector.getKey(operation);
    }
}
