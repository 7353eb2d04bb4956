/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sluice.flink.counter.IdempotentCounters;
import io.sluice.job.format.JobInput;
import io.sluice.job.format.MessageInput;
import io.sluice.message.IdJson;
import io.sluice.message.KafkaMessage;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.util.function.SerializableFunction;

/** Records of any kind, with counter, id and delta in their fields. */
record CountedMessages(CountersOptions options) implements CountedInput<KafkaMessage, String> {
    @Override
    public JobInput<KafkaMessage> input() {
        return new MessageInput(options);
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
    public AcknowledgementSchema<KafkaMessage> acknowledgements(String topic) {
        IdJson ids = new IdJson(options.messages.idFields());
        SerializableFunction<String, byte[]> name = name();
        return new AcknowledgementSchema<>(
                topic,
                message -> ids.bytes(message.id()),
                message -> ids.json(message.id()),
                message -> name.apply(message.addition().counter()));
    }
}
