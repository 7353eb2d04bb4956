/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import io.sluice.flink.runtime.Closures;
import io.sluice.flink.runtime.IdHasher;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.typeutils.TypeExtractor;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * How an operation's id is selected, and its type if it was given.
 *
 * @param <T> type of the operations
 * @param <I> type of their ids
 */
record OperationId<T, I>(KeySelector<T, I> selector, @Nullable TypeInformation<I> type) {

    <K> OperationHasher<T, K, I> hasher(
            IdHasher<K> counterHasher,
            TypeInformation<T> operationType,
            StreamExecutionEnvironment environment) {
        TypeInformation<I> idType =
                type != null ? type : TypeExtractor.getKeySelectorTypes(selector, operationType);
        IdHasher<I> idHasher =
                IdHasher.of(
                        "operation",
                        idType,
                        environment.getConfig().getSerializerConfig(),
                        counterHasher.hashing().seed());
        KeySelector<T, I> ids =
                Closures.clean(environment, "the selector of operation(...)", selector);
        return new OperationHasher<>(counterHasher, ids, idHasher);
    }
}
