/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.packet;

import io.sluice.kafka.TopicSchema;
import io.sluice.record.CounterKind;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * An operation that was not counted, on the topic of duplicates or of late operations: the key is
 * the counter's name in UTF-8, the value is JSON,
 *
 * <pre>{@code {"operation":1234,"timestamp":1520000000123}}</pre>
 *
 * with the event time in milliseconds.
 */
public final class OperationSchema extends TopicSchema<Operation> {
    private final CounterKind kind;

    public OperationSchema(String topic, CounterKind kind) {
        super(topic);
        this.kind = kind;
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(
            Operation operation, KafkaSinkContext context, Long timestamp) {
        String value =
                "{\"operation\":" + operation.operationId() + ",\"timestamp\":" + timestamp + "}";
        return new ProducerRecord<>(
                topic,
                kind.format(operation.counter()).getBytes(StandardCharsets.US_ASCII),
                value.getBytes(StandardCharsets.US_ASCII));
    }
}
