/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.format;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Where a job's records come from, and where those go that it sets aside.
 *
 * @param <T> type of the records
 */
public interface JobInput<T> {

    /**
     * Sets object reuse, checkpoints and, if given, the parallelism of {@code env}, and reads the
     * records of the input topics; those that cannot be read become dead letters.
     */
    SingleOutputStreamOperator<T> read(StreamExecutionEnvironment env);

    /** Returns the type of the records. */
    TypeInformation<T> type();

    /** Writes records that the job does not take to a topic. */
    void setAside(DataStream<T> records, String uid, String topic);
}
