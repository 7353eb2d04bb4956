/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import org.apache.flink.api.common.operators.SlotSharingGroup;
import org.apache.flink.streaming.api.datastream.SideOutputDataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.util.OutputTag;

/**
 * The values of counters in two phases, as if one operator emitted them: side outputs are those of
 * the first phase, which sees the operations, and both have the same parallelism, slots and buffer
 * timeout.
 *
 * @param <K> type of the counters' keys
 */
final class TwoPhaseStream<K> extends SingleOutputStreamOperator<CounterValue<K>> {

    private final SingleOutputStreamOperator<CounterUpdate<K>> first;

    TwoPhaseStream(
            SingleOutputStreamOperator<CounterUpdate<K>> first,
            SingleOutputStreamOperator<CounterValue<K>> second) {
        super(second.getExecutionEnvironment(), second.getTransformation());
        this.first = first;
    }

    @Override
    public <X> SideOutputDataStream<X> getSideOutput(OutputTag<X> tag) {
        return first.getSideOutput(tag);
    }

    @Override
    public SingleOutputStreamOperator<CounterValue<K>> setParallelism(int parallelism) {
        first.setParallelism(parallelism);
        return super.setParallelism(parallelism);
    }

    @Override
    public SingleOutputStreamOperator<CounterValue<K>> setMaxParallelism(int maxParallelism) {
        first.setMaxParallelism(maxParallelism);
        return super.setMaxParallelism(maxParallelism);
    }

    @Override
    public SingleOutputStreamOperator<CounterValue<K>> forceNonParallel() {
        first.forceNonParallel();
        return super.forceNonParallel();
    }

    @Override
    public SingleOutputStreamOperator<CounterValue<K>> setBufferTimeout(long timeoutMillis) {
        first.setBufferTimeout(timeoutMillis);
        return super.setBufferTimeout(timeoutMillis);
    }

    @Override
    public SingleOutputStreamOperator<CounterValue<K>> slotSharingGroup(String group) {
        first.slotSharingGroup(group);
        return super.slotSharingGroup(group);
    }

    @Override
    public SingleOutputStreamOperator<CounterValue<K>> slotSharingGroup(SlotSharingGroup group) {
        first.slotSharingGroup(group);
        return super.slotSharingGroup(group);
    }
}
