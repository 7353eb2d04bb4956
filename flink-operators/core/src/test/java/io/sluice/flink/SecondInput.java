/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import io.sluice.flink.testkit.Subtasks;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;

/**
 * Both inputs of an operator in {@link Subtasks}, which themselves know only the first.
 *
 * @param <IN> type of the first input
 * @param <FOUND> type of the second input
 * @param <OUT> type of the output
 */
public final class SecondInput<IN, FOUND, OUT> {

    private final Subtasks<?, IN, OUT> stream;
    private final int maxParallelism;

    public SecondInput(Subtasks<?, IN, OUT> stream, int maxParallelism) {
        this.stream = stream;
        this.maxParallelism = maxParallelism;
    }

    /** Processes a record with this key, and returns what came out of the main output. */
    public List<OUT> process(Object key, FOUND value, long timestamp) throws Exception {
        return process(key, new StreamRecord<>(value, timestamp));
    }

    /** As the other; the record may have no timestamp. */
    public List<OUT> process(Object key, StreamRecord<FOUND> record) throws Exception {
        int parallelism = stream.harnesses().size();
        var harness =
                stream.harnesses()
                        .get(
                                KeyGroupRangeAssignment.assignKeyToParallelOperator(
                                        key, maxParallelism, parallelism));
        harness.getOutput().clear();
        operator(harness).processElement2(record);
        return harness.extractOutputValues();
    }

    /** A watermark of the first input; returns what all subtasks forward. */
    public List<Object> firstWatermark(long timestamp) throws Exception {
        return each(operator -> operator.processWatermark1(new Watermark(timestamp)));
    }

    /** A watermark of the second input; returns what all subtasks forward. */
    public List<Object> secondWatermark(long timestamp) throws Exception {
        return each(operator -> operator.processWatermark2(new Watermark(timestamp)));
    }

    /** A status of the first input; returns what all subtasks forward. */
    public List<Object> firstStatus(WatermarkStatus status) throws Exception {
        return each(operator -> operator.processWatermarkStatus1(status));
    }

    /** A status of the second input; returns what all subtasks forward. */
    public List<Object> secondStatus(WatermarkStatus status) throws Exception {
        return each(operator -> operator.processWatermarkStatus2(status));
    }

    /** Both inputs have ended; returns what all subtasks emit then. */
    public List<Object> finish() throws Exception {
        return each(TwoInputStreamOperator::finish);
    }

    private interface Call<IN, FOUND, OUT> {
        void on(TwoInputStreamOperator<IN, FOUND, OUT> operator) throws Exception;
    }

    private List<Object> each(Call<IN, FOUND, OUT> call) throws Exception {
        List<Object> output = new ArrayList<>();
        for (var harness : stream.harnesses()) {
            harness.getOutput().clear();
            call.on(operator(harness));
            output.addAll(harness.getOutput());
        }
        return output;
    }

    @SuppressWarnings("unchecked")
    private TwoInputStreamOperator<IN, FOUND, OUT> operator(
            KeyedOneInputStreamOperatorTestHarness<?, IN, OUT> harness) {
        return (TwoInputStreamOperator<IN, FOUND, OUT>) harness.getOperator();
    }
}
