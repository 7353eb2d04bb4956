/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.format;

import io.sluice.job.message.MessageEnds;
import io.sluice.message.KafkaMessage;
import io.sluice.message.MessageTypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Records of any kind. Those that are set aside are written as they came. */
public record MessageInput(FormatJobOptions options) implements JobInput<KafkaMessage> {
    @Override
    public SingleOutputStreamOperator<KafkaMessage> read(StreamExecutionEnvironment env) {
        return new MessageEnds(options).read(env, 0, null);
    }

    @Override
    public TypeInformation<KafkaMessage> type() {
        return MessageTypeInfoFactory.TYPE;
    }

    @Override
    public void setAside(DataStream<KafkaMessage> records, String uid, String topic) {
        new MessageEnds(options).write(records, uid, topic);
    }
}
