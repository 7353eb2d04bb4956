/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import java.util.Map;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * The state of one counter after an update. A later value replaces all earlier ones of the same
 * counter, so it suits an upsert.
 *
 * <p>A row: its components are its columns in SQL, and Flink serializes it as any record.
 *
 * @param counter the counter's key
 * @param value sum of the deltas of all operations that were applied
 * @param expectedUndercount by how much the true value is expected to exceed {@code value}, because
 *     new operations were taken for retries. For every applied operation it grows by delta ·
 *     p/(1-p), where p is the filter's predicted probability of a false positive at that moment. A
 *     new operation with delta d passes with probability 1-p and then adds d·p/(1-p): d·p in the
 *     mean, which is also the mean loss. So the estimate is unbiased if p is. Negative deltas count
 *     as negative. 0 without a filter
 * @param timestamp event time in ms of the youngest operation in this update; in processing time,
 *     when it was applied. The record that carries the value may have a later timestamp: after a
 *     late operation it is just after the watermark
 * @param <K> type of the counter's key
 */
@PublicEvolving
public record CounterValue<K>(K counter, long value, double expectedUndercount, long timestamp) {

    /**
     * Returns Flink's type of the values of counters whose keys have the given type, which Flink
     * cannot read off a generic record.
     */
    @SuppressWarnings({"unchecked", "rawtypes"})
    public static <K> TypeInformation<CounterValue<K>> type(TypeInformation<K> counterType) {
        return (TypeInformation)
                Types.POJO(
                        CounterValue.class,
                        Map.of(
                                "counter",
                                counterType,
                                "value",
                                Types.LONG,
                                "expectedUndercount",
                                Types.DOUBLE,
                                "timestamp",
                                Types.LONG));
    }
}
