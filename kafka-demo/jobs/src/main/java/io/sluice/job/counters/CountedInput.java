/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import io.sluice.flink.counter.IdempotentCounters;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.function.SerializableFunction;

/**
 * What a job counts: where operations come from, and what their counters are called.
 *
 * @param <T> type of the operations
 * @param <K> type of the counters' keys
 */
interface CountedInput<T, K> {

    /** Reads the operations of the input topics; other records become dead letters. */
    SingleOutputStreamOperator<T> read(StreamExecutionEnvironment env);

    /** Returns the type of the operations. */
    TypeInformation<T> type();

    /** Returns counters that know counter, id and delta of an operation, and nothing else. */
    IdempotentCounters<T, K> counters();

    /** Returns what names a counter, as the key of its values. */
    SerializableFunction<K, byte[]> name();

    /** Writes operations that are not counted to a topic. */
    void setAside(DataStream<T> operations, String uid, String topic);

    /** Writes to a topic that operations count. */
    void acknowledge(DataStream<T> operations, String uid, String topic);
}
