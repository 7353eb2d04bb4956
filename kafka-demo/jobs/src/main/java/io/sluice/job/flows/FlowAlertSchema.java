/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.flows;

import io.sluice.flink.flow.FlowAlert;
import io.sluice.kafka.TopicSchema;
import java.util.Locale;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * An alert on its topic: the key is the flow's id as in {@link FinishedFlowSchema}, the value is
 * JSON,
 *
 * <pre>{@code {"version":2,"alert":"fin-and-rst","flags":4,"timestamp":1520000000123}}</pre>
 *
 * with the flags byte of the packet and its event time in milliseconds. Version 1 had no {@code
 * version}.
 */
public final class FlowAlertSchema extends TopicSchema<FlowAlert> {

    public FlowAlertSchema(String topic) {
        super(topic);
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(
            FlowAlert alert, KafkaSinkContext context, Long timestamp) {
        return record(FinishedFlowSchema.id(alert.flow()), json(alert));
    }

    /** The value. */
    static String json(FlowAlert alert) {
        return "{\"version\":2,\"alert\":\""
                + name(alert.kind())
                + "\",\"flags\":"
                + alert.flags()
                + ",\"timestamp\":"
                + alert.millis()
                + "}";
    }

    /** How topics name a kind of alert. */
    static String name(FlowAlert.Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
