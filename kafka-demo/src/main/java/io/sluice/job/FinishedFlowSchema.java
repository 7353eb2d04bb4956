/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.flink.flow.FinishedFlow;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A flow that is over, on its topic: the key is the flow's id in 16 hexadecimal digits, the value
 * is JSON,
 *
 * <pre>{@code {"state":"SF","timedOut":false,"timestamp":1520000000123}}</pre>
 *
 * with the state in the words of Zeek's {@code conn_state} and the event time in milliseconds.
 */
final class FinishedFlowSchema extends TopicSchema<FinishedFlow> {

    FinishedFlowSchema(String topic) {
        super(topic);
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(
            FinishedFlow flow, KafkaSinkContext context, Long timestamp) {
        String value =
                "{\"state\":\""
                        + flow.state()
                        + "\",\"timedOut\":"
                        + flow.timedOut()
                        + ",\"timestamp\":"
                        + flow.millis()
                        + "}";
        return new ProducerRecord<>(
                topic, id(flow.flow()), value.getBytes(StandardCharsets.US_ASCII));
    }

    /** How topics name a flow. */
    static byte[] id(long flow) {
        return HexFormat.of().toHexDigits(flow).getBytes(StandardCharsets.US_ASCII);
    }
}
