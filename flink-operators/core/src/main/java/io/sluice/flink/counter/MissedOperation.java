/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import java.util.Map;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * An operation that was counted elsewhere, and may be missing here: what {@link
 * IdempotentCounters#corrections} takes. Its time is the timestamp of its record.
 *
 * @param counter the counter's key
 * @param operation the operation's id, as {@link IdempotentCounters#operation} selects it
 * @param delta what the operation adds to the counter
 * @param <K> type of the counter's key
 * @param <I> type of the operation's id
 */
@Experimental
public record MissedOperation<K, I>(K counter, I operation, long delta) {

    /** Name of the component in Flink's type. */
    static final String OPERATION = "operation";

    /**
     * Returns Flink's type of such operations, which Flink cannot read off a generic record.
     *
     * @param counterType type of the counters' keys
     * @param operationType type of the operations' ids
     */
    @SuppressWarnings({"unchecked", "rawtypes"})
    public static <K, I> TypeInformation<MissedOperation<K, I>> type(
            TypeInformation<K> counterType, TypeInformation<I> operationType) {
        return (TypeInformation)
                Types.POJO(
                        MissedOperation.class,
                        Map.of(
                                "counter",
                                counterType,
                                OPERATION,
                                operationType,
                                "delta",
                                Types.LONG));
    }
}
