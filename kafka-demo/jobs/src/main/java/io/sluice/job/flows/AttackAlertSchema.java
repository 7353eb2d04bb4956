/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.flows;

import io.sluice.flink.attack.AttackAlert;
import io.sluice.flink.attack.AttackKind;
import io.sluice.kafka.TopicSchema;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * An attack on the topic of alerts: the key is the address of the host that is flooded or scans,
 * the value is JSON,
 *
 * <pre>{@code
 * {"version":2,"alert":"syn-flood","status":"raised","address":"192.0.2.7","port":80,
 *  "attempts":812,"completed":3,"refused":0,"first":1520000000123,"timestamp":1520000009999}
 * {"version":2,"alert":"scan","status":"cleared","address":"192.0.2.8","targets":230,
 *  "attempts":241,"completed":1,"refused":70,"first":1520000000123,"timestamp":1520000179999}
 * }</pre>
 *
 * <p>with event times in milliseconds: of the first attempt, and up to which attempts were examined
 * ({@link AttackAlert}).
 */
public final class AttackAlertSchema extends TopicSchema<AttackAlert> {

    public AttackAlertSchema(String topic) {
        super(topic);
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(
            AttackAlert alert, KafkaSinkContext context, Long timestamp) {
        return record(FinishedFlowSchema.text(alert.address()), json(alert));
    }

    /** The value. */
    static String json(AttackAlert alert) {
        boolean isScan = alert.kind() == AttackKind.SCAN;
        return "{\"version\":2,\"alert\":\""
                + FlowAlertSchema.name(alert.kind().name())
                + "\",\"status\":\""
                + (alert.raised() ? "raised" : "cleared")
                + "\",\"address\":\""
                + FinishedFlowSchema.text(alert.address())
                + (isScan ? "\",\"targets\":" : "\",\"port\":")
                + (isScan ? alert.targets() : alert.port())
                + ",\"attempts\":"
                + alert.attempts()
                + ",\"completed\":"
                + alert.completed()
                + ",\"refused\":"
                + alert.refused()
                + ",\"first\":"
                + alert.firstMillis()
                + ",\"timestamp\":"
                + alert.millis()
                + "}";
    }
}
