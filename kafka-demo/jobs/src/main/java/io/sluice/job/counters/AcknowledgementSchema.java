/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.sluice.kafka.TopicSchema;
import org.apache.flink.util.function.SerializableFunction;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * That an operation counts, or was counted before, on the topic of acknowledgements: the key is its
 * id ({@link io.sluice.message.IdJson#bytes}), the value is JSON with the counter's name,
 *
 * <pre>{@code {"id":"r-17","counter":"/index.html"}}</pre>
 *
 * <p>A name that is not UTF-8 has U+FFFD in it. The Kafka timestamp is the time of writing.
 *
 * @param <T> type of the operations
 */
final class AcknowledgementSchema<T> extends TopicSchema<T> {
    private final SerializableFunction<T, byte[]> id;
    private final SerializableFunction<T, String> idJson;
    private final SerializableFunction<T, byte[]> counter;

    AcknowledgementSchema(
            String topic,
            SerializableFunction<T, byte[]> id,
            SerializableFunction<T, String> idJson,
            SerializableFunction<T, byte[]> counter) {
        super(topic);
        this.id = id;
        this.idJson = idJson;
        this.counter = counter;
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(
            T operation, KafkaSinkContext context, Long timestamp) {
        StringBuilder value =
                new StringBuilder(100)
                        .append("{\"id\":")
                        .append(idJson.apply(operation))
                        .append(",\"counter\":\"");
        JsonStringEncoder.getInstance()
                .quoteAsString(new String(counter.apply(operation), UTF_8), value);
        value.append("\"}");
        return new ProducerRecord<>(topic, id.apply(operation), value.toString().getBytes(UTF_8));
    }
}
