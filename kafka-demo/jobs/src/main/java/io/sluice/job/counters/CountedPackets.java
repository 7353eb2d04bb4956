/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.flink.counter.IdempotentCounters;
import io.sluice.job.packet.Operation;
import io.sluice.job.packet.OperationSchema;
import io.sluice.job.packet.PacketEnds;
import io.sluice.job.packet.Reduction;
import io.sluice.record.CounterKind;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.function.SerializableFunction;

/** Packet records, each of which adds 1 to the counter of its source or service. */
record CountedPackets(CountersOptions options) implements CountedInput<Operation, Long> {
    @Override
    public SingleOutputStreamOperator<Operation> read(StreamExecutionEnvironment env) {
        return new PacketEnds(options)
                .read(env, Reduction.toCounter(options.countBy()), options.deadLetterTopic);
    }

    @Override
    public TypeInformation<Operation> type() {
        return Operation.TYPE;
    }

    @Override
    public IdempotentCounters<Operation, Long> counters() {
        return IdempotentCounters.of(Operation::counter)
                .counterType(Types.LONG)
                .operation(Operation::operationId, Types.LONG);
    }

    @Override
    public SerializableFunction<Long, byte[]> name() {
        CounterKind kind = options.countBy();
        return counter -> kind.format(counter).getBytes(US_ASCII);
    }

    @Override
    public void setAside(DataStream<Operation> operations, String uid, String topic) {
        new PacketEnds(options)
                .write(operations, uid, new OperationSchema(topic, options.countBy()));
    }

    @Override
    public void acknowledge(DataStream<Operation> operations, String uid, String topic) {
        SerializableFunction<Long, byte[]> name = name();
        new PacketEnds(options)
                .write(
                        operations,
                        uid,
                        new AcknowledgementSchema<>(
                                topic,
                                operation ->
                                        String.valueOf(operation.operationId()).getBytes(US_ASCII),
                                operation -> String.valueOf(operation.operationId()),
                                operation -> name.apply(operation.counter())));
    }
}
