/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.flows;

import io.sluice.capture.IpAddresses;
import io.sluice.flink.flow.Address;
import io.sluice.flink.flow.Endpoints;
import io.sluice.flink.flow.FinishedFlow;
import io.sluice.kafka.TopicSchema;
import java.util.HexFormat;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A flow that is over, on its topic: the key is the flow's id in 16 hexadecimal digits, the value
 * is JSON,
 *
 * <pre>{@code
 * {"version":5,"state":"SF","reason":"ended","timestamp":1520000000123,"protocol":"tcp",
 *  "originator":"192.0.2.7","originatorPort":50123,"responder":"192.0.2.9","responderPort":443,
 *  "communityId":"1:C7iJxDlye5vCTMnpY4IBHE6Oxyk=","vlan":10,"innerVlan":20}
 * }</pre>
 *
 * <p>with the state in terms of Zeek's {@code conn_state}, the reason ({@code ended}, {@code
 * timed-out} or {@code end-of-input}), and the event time in milliseconds. The fields from the
 * originator on are those of the packet that ended the flow, with its {@link CommunityId}, and the
 * outermost and innermost VLAN as far as it has them; with state {@code OTH}, where the beginning
 * was not seen, the originator is the sender of that packet. A flow that no packet ended has none
 * of them ({@link FinishedFlow}). Ports are present even if a flow is a pair of addresses. Version
 * 1 had no {@code version}, {@code protocol} and ends; version 2 had {@code timedOut} instead of
 * the reason; version 3 had no {@code communityId}; version 4 had no VLANs.
 */
public final class FinishedFlowSchema extends TopicSchema<FinishedFlow> {

    public FinishedFlowSchema(String topic) {
        super(topic);
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(
            FinishedFlow flow, KafkaSinkContext context, Long timestamp) {
        return record(id(flow.flow()), json(flow));
    }

    /** The value. */
    static String json(FinishedFlow flow) {
        StringBuilder value =
                new StringBuilder(200)
                        .append("{\"version\":5,\"state\":\"")
                        .append(flow.state())
                        .append("\",\"reason\":\"")
                        .append(FlowAlertSchema.name(flow.reason()))
                        .append("\",\"timestamp\":")
                        .append(flow.millis())
                        .append(",\"protocol\":\"tcp\"");
        Endpoints ends = flow.ends();
        if (ends != null) {
            append(value, "originator", ends.from(), ends.fromPort());
            append(value, "responder", ends.to(), ends.toPort());
            value.append(",\"communityId\":\"").append(CommunityId.of(ends)).append('"');
            appendVlan(value, "vlan", ends.vlan());
            appendVlan(value, "innerVlan", ends.innerVlan());
        }
        return value.append('}').toString();
    }

    private static void append(StringBuilder value, String side, Address address, int port) {
        value.append(",\"")
                .append(side)
                .append("\":\"")
                .append(text(address))
                .append("\",\"")
                .append(side)
                .append("Port\":")
                .append(port);
    }

    private static void appendVlan(StringBuilder value, String name, int vlan) {
        if (vlan != Endpoints.NO_VLAN) {
            value.append(",\"").append(name).append("\":").append(vlan);
        }
    }

    /** How topics name a flow. */
    static String id(long flow) {
        return HexFormat.of().toHexDigits(flow);
    }

    /** How topics name an address: dotted, or as RFC 5952 has it. */
    static String text(Address address) {
        return IpAddresses.format(address.isIpv4() ? 4 : 6, address.high(), address.low());
    }
}
