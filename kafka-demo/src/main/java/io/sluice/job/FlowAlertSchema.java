/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.flink.flow.FlowAlert;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * An alert on its topic: the key is the flow's id as in {@link FinishedFlowSchema}, the value is
 * JSON,
 *
 * <pre>{@code {"alert":"fin-and-rst","flags":4,"timestamp":1520000000123}}</pre>
 *
 * with the flags byte of the packet at hand and its event time in milliseconds.
 */
final class FlowAlertSchema extends TopicSchema<FlowAlert> {

    FlowAlertSchema(String topic) {
        super(topic);
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(
            FlowAlert alert, KafkaSinkContext context, Long timestamp) {
        String value =
                "{\"alert\":\""
                        + alert.kind().name().toLowerCase(Locale.ROOT).replace('_', '-')
                        + "\",\"flags\":"
                        + alert.flags()
                        + ",\"timestamp\":"
                        + alert.millis()
                        + "}";
        return new ProducerRecord<>(
                topic,
                FinishedFlowSchema.id(alert.flow()),
                value.getBytes(StandardCharsets.US_ASCII));
    }
}
