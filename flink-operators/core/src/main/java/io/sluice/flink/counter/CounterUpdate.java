/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import java.util.Map;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * What one subtask adds to a counter: the sum of operations that it found to be new. Public because
 * Flink serializes only public records without Kryo.
 *
 * @param counter the counter's key
 * @param delta sum of the operations' deltas
 * @param expectedUndercount see {@link CounterValue}
 * @param timestamp of the youngest operation, see {@link CounterValue}
 * @param <K> type of the counter's key
 */
@Internal
public record CounterUpdate<K>(K counter, long delta, double expectedUndercount, long timestamp) {

    @SuppressWarnings({"unchecked", "rawtypes"})
    static <K> TypeInformation<CounterUpdate<K>> type(TypeInformation<K> counterType) {
        return (TypeInformation)
                Types.POJO(
                        CounterUpdate.class,
                        Map.of(
                                "counter",
                                counterType,
                                "delta",
                                Types.LONG,
                                "expectedUndercount",
                                Types.DOUBLE,
                                "timestamp",
                                Types.LONG));
    }
}
