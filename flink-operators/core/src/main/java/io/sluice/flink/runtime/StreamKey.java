/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static java.util.Objects.requireNonNull;

import org.apache.flink.annotation.Internal;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;

/**
 * The key by which Flink distributes records with an id, and under which it keeps exact state:
 * {@link IdHasher#key}. Records without an id go to one fixed place, where the operator handles
 * them.
 *
 * @param <T> type of the records
 * @param <K> type of the ids
 */
@Internal
public final class StreamKey<T, K> implements KeySelector<T, Object> {

    private final KeySelector<T, K> idSelector;
    private final IdHasher<K> hasher;

    public StreamKey(KeySelector<T, K> idSelector, IdHasher<K> hasher) {
        this.idSelector = requireNonNull(idSelector, "idSelector");
        this.hasher = requireNonNull(hasher, "hasher");
    }

    /** {@code records}, distributed by their ids. */
    public static <T, K> KeyedStream<T, Object> keyBy(
            DataStream<T> records, KeySelector<T, K> idSelector, IdHasher<K> hasher) {
        return records.keyBy(new StreamKey<>(idSelector, hasher), hasher.keyType());
    }

    @Override
    public Object getKey(T record) throws Exception {
        return hasher.key(idSelector.getKey(record));
    }
}
