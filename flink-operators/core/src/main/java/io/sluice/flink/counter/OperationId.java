/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import io.sluice.flink.OptionException;
import io.sluice.flink.runtime.Closures;
import io.sluice.flink.runtime.IdHasher;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.typeutils.PojoTypeInfo;
import org.apache.flink.api.java.typeutils.TypeExtractor;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * How an operation's id is selected, and its type if it was given.
 *
 * @param <T> type of the operations
 * @param <I> type of their ids
 */
record OperationId<T, I>(KeySelector<T, I> selector, @Nullable TypeInformation<I> type) {

    TypeInformation<I> typeIn(TypeInformation<T> operationType) {
        return type != null ? type : TypeExtractor.getKeySelectorTypes(selector, operationType);
    }

    <K> OperationHasher<T, K, I> hasher(
            IdHasher<K> counterHasher,
            TypeInformation<T> operationType,
            StreamExecutionEnvironment environment,
            boolean keyedById) {
        IdHasher<I> idHasher =
                IdHasher.of(
                        "operation",
                        typeIn(operationType),
                        environment.getConfig().getSerializerConfig(),
                        counterHasher.hashing().seed());
        KeySelector<T, I> ids =
                Closures.clean(environment, "the selector of operation(...)", selector);
        return new OperationHasher<>(counterHasher, ids, idHasher, keyedById);
    }

    /**
     * Returns operations that were counted elsewhere, whose ids are found to be of the right type.
     *
     * @throws OptionException if they are not
     */
    @SuppressWarnings("unchecked") // It is checked here, as far as Flink knows it.
    <K> DataStream<MissedOperation<K, I>> checked(
            DataStream<? extends MissedOperation<K, ?>> missed, TypeInformation<T> operationType) {
        TypeInformation<I> idType = typeIn(operationType);
        if (missed.getType() instanceof PojoTypeInfo<?> pojo) {
            TypeInformation<?> given = pojo.getTypeAt(MissedOperation.OPERATION);
            if (!IdHasher.areBothNumbers(given, idType) && !given.equals(idType)) {
                throw new OptionException(
                        "corrections has operations of type ",
                        given.toString(),
                        ", but operation(...) selects ",
                        idType.toString(),
                        ": give MissedOperation.type(...) and its operations the selected type.");
            }
        }
        return (DataStream<MissedOperation<K, I>>) missed;
    }
}
