/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import io.sluice.flink.counter.CounterValue;
import io.sluice.kafka.TopicSchema;
import java.nio.charset.StandardCharsets;
import org.apache.flink.util.function.SerializableFunction;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A counter's new value on its topic, as an upsert: the key is the counter's name ({@code
 * 10.1.2.3}, {@code tcp/443}, {@code /index.html}) in UTF-8, or the bytes that it has in its field,
 * the value is JSON,
 *
 * <pre>{@code {"value":1234,"expectedUndercount":0.0125,"timestamp":1520000000123}}</pre>
 *
 * with the time of the youngest operation in it in milliseconds. A later record replaces an earlier
 * one with the same key, so the topic may be compacted, and Flink SQL reads it as a table with the
 * connector {@code upsert-kafka}, key format {@code raw} and value format {@code json}.
 *
 * <p>The Kafka timestamp is the time of writing, because brokers delete by it and the events may be
 * years old.
 */
final class CounterValueSchema<K> extends TopicSchema<CounterValue<K>> {
    private final SerializableFunction<K, byte[]> name;

    private transient StringBuilder text;

    /**
     * @param name the bytes of a counter's name
     */
    CounterValueSchema(String topic, SerializableFunction<K, byte[]> name) {
        super(topic);
        this.name = name;
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(
            CounterValue<K> value, KafkaSinkContext context, Long timestamp) {
        if (text == null) {
            text = new StringBuilder(96);
        }
        text.setLength(0);
        text.append("{\"value\":")
                .append(value.value())
                .append(",\"expectedUndercount\":")
                .append(value.expectedUndercount())
                .append(",\"timestamp\":")
                .append(value.timestamp())
                .append('}');
        return new ProducerRecord<>(
                topic,
                name.apply(value.counter()),
                text.toString().getBytes(StandardCharsets.US_ASCII));
    }
}
