/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sluice.flink.counter.IdempotentCounters;
import io.sluice.job.message.MessageEnds;
import io.sluice.message.IdJson;
import io.sluice.message.KafkaMessage;
import io.sluice.message.MessageTypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.function.SerializableFunction;

/**
 * Records of any kind, with counter, id and delta in their fields. Those that are not counted are
 * written as they came.
 */
record CountedMessages(CountersOptions options) implements CountedInput<KafkaMessage, String> {
    @Override
    public SingleOutputStreamOperator<KafkaMessage> read(StreamExecutionEnvironment env) {
        return new MessageEnds(options).read(env, 0, null);
    }

    @Override
    public TypeInformation<KafkaMessage> type() {
        return MessageTypeInfoFactory.TYPE;
    }

    @Override
    public IdempotentCounters<KafkaMessage, String> counters() {
        return IdempotentCounters.<KafkaMessage, String>of(message -> message.addition().counter())
                .counterType(Types.STRING)
                .operation(KafkaMessage::id, Types.STRING)
                .delta(message -> message.addition().delta());
    }

    @Override
    public SerializableFunction<String, byte[]> name() {
        return counter -> counter.getBytes(ISO_8859_1);
    }

    @Override
    public void setAside(DataStream<KafkaMessage> operations, String uid, String topic) {
        new MessageEnds(options).write(operations, uid, topic);
    }

    @Override
    public void acknowledge(DataStream<KafkaMessage> operations, String uid, String topic) {
        IdJson ids = new IdJson(options.messages.idFields());
        SerializableFunction<String, byte[]> name = name();
        new MessageEnds(options)
                .write(
                        operations,
                        uid,
                        new AcknowledgementSchema<>(
                                topic,
                                message -> ids.bytes(message.id()),
                                message -> ids.json(message.id()),
                                message -> name.apply(message.addition().counter())),
                        null);
    }
}
