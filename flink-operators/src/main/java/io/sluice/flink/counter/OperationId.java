/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import io.sluice.flink.IdHasher;
import javax.annotation.Nullable;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.typeutils.TypeExtractor;

/**
 * How an operation's id is selected, and its type where that was given.
 *
 * @param <T> type of the operations
 * @param <I> type of their ids
 */
record OperationId<T, I>(KeySelector<T, I> selector, @Nullable TypeInformation<I> type) {

    <K> OperationHasher<T, K, I> hasher(
            IdHasher<K> counterHasher, TypeInformation<T> operationType, SerializerConfig config) {
        TypeInformation<I> idType =
                type != null ? type : TypeExtractor.getKeySelectorTypes(selector, operationType);
        return new OperationHasher<>(counterHasher, selector, IdHasher.of(idType, config));
    }
}
