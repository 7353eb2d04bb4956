/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.format;

import io.sluice.job.packet.Operation;
import io.sluice.job.packet.OperationSchema;
import io.sluice.job.packet.PacketEnds;
import io.sluice.job.packet.Reduction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Packet records, reduced to counter and id. So are those that are set aside. */
public record PacketInput(FormatJobOptions options) implements JobInput<Operation> {
    @Override
    public SingleOutputStreamOperator<Operation> read(StreamExecutionEnvironment env) {
        return new PacketEnds(options)
                .read(env, Reduction.toCounter(options.countBy()), options.deadLetters());
    }

    @Override
    public TypeInformation<Operation> type() {
        return Operation.TYPE;
    }

    @Override
    public void setAside(DataStream<Operation> operations, String uid, String topic) {
        new PacketEnds(options)
                .write(operations, uid, new OperationSchema(topic, options.countBy()));
    }
}
