/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import io.sluice.flink.counter.CounterValue;
import io.sluice.kafka.TopicSchema;
import io.sluice.record.CounterKind;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A counter's new value on its topic, as an upsert: the key is the counter's name in UTF-8 ({@code
 * 10.1.2.3}, {@code tcp/443}), the value is JSON,
 *
 * <pre>{@code {"value":1234,"expectedUndercount":0.0125,"timestamp":1520000000123}}</pre>
 *
 * with the event time of the youngest operation in it in milliseconds. A later record replaces an
 * earlier one with the same key, so the topic may be compacted, and Flink SQL reads it as a table
 * with the connector {@code upsert-kafka}, key format {@code raw} and value format {@code json}.
 *
 * <p>The Kafka timestamp is the time of writing, because brokers delete by it and the events may be
 * years old.
 */
final class CounterValueSchema extends TopicSchema<CounterValue<Long>> {
    private final CounterKind kind;

    private transient StringBuilder text;

    CounterValueSchema(String topic, CounterKind kind) {
        super(topic);
        this.kind = kind;
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(
            CounterValue<Long> value, KafkaSinkContext context, Long timestamp) {
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
                kind.format(value.counter()).getBytes(StandardCharsets.US_ASCII),
                text.toString().getBytes(StandardCharsets.US_ASCII));
    }
}
