/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import org.apache.flink.annotation.Internal;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * An operator that learns from a second input what was found elsewhere, in the jobs that connect
 * one. In all other jobs the same operator has one input. Its state is the same with either, so a
 * job may gain or lose the second input at a restore.
 *
 * @param <IN> type of the records
 * @param <FOUND> type of what was found elsewhere
 * @param <OUT> type of the output
 */
@Internal
public interface OptionalSecondInput<IN, FOUND, OUT>
        extends OneInputStreamOperator<IN, OUT>, TwoInputStreamOperator<IN, FOUND, OUT> {

    @Override
    default void processElement1(StreamRecord<IN> record) throws Exception {
        processElement(record);
    }
}
