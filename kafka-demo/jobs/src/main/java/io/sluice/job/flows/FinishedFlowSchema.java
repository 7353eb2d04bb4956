/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.flows;

import io.sluice.capture.IpAddresses;
import io.sluice.flink.flow.Address;
import io.sluice.flink.flow.Endpoints;
import io.sluice.flink.flow.FinishedFlow;
import io.sluice.flink.flow.FlowTotals;
import io.sluice.kafka.TopicSchema;
import java.util.HexFormat;
import javax.annotation.Nullable;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A flow that is over, on its topic: the key is the flow's id in 16 hexadecimal digits, the value
 * is JSON,
 *
 * <pre>{@code
 * {"version":6,"state":"SF","reason":"ended","timestamp":1520000000123,"protocol":"tcp",
 *  "originator":"192.0.2.7","originatorPort":50123,"responder":"192.0.2.9","responderPort":443,
 *  "communityId":"1:C7iJxDlye5vCTMnpY4IBHE6Oxyk=","vlan":10,"innerVlan":20,
 *  "firstTimestamp":1520000000023,"lastTimestamp":1520000000123,"originatorPackets":5,
 *  "originatorBytes":411,"responderPackets":4,"responderBytes":5011}
 * }</pre>
 *
 * <p>with the state in terms of Zeek's {@code conn_state}, the reason ({@code ended}, {@code
 * timed-out} or {@code end-of-input}), and the event time in milliseconds. The fields from the
 * originator to the VLANs are those of the packet that ended the flow, or with totals of its first
 * one, with its {@link CommunityId}, and the outermost and innermost VLAN as far as it has them;
 * with state {@code OTH}, where the beginning was not seen, the originator is the sender of that
 * packet. A flow without totals that no packet ended has none of them ({@link FinishedFlow}). The
 * fields from {@code firstTimestamp} on are its totals, if they are kept: times in milliseconds,
 * bytes on the wire. Ports are present even if a flow is a pair of addresses. Version 1 had no
 * {@code version}, {@code protocol} and ends; version 2 had {@code timedOut} instead of the reason;
 * version 3 had no {@code communityId}; version 4 had no VLANs; version 5 had no totals.
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
                        .append("{\"version\":6,\"state\":\"")
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
        appendTotals(value, flow.totals());
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

    private static void appendTotals(StringBuilder value, @Nullable FlowTotals totals) {
        if (totals != null) {
            append(value, "firstTimestamp", totals.firstMillis());
            append(value, "lastTimestamp", totals.lastMillis());
            append(value, "originatorPackets", totals.originatorPackets());
            append(value, "originatorBytes", totals.originatorBytes());
            append(value, "responderPackets", totals.responderPackets());
            append(value, "responderBytes", totals.responderBytes());
        }
    }

    private static void append(StringBuilder value, String name, long number) {
        value.append(",\"").append(name).append("\":").append(number);
    }

    private static void appendVlan(StringBuilder value, String name, int vlan) {
        if (vlan != Endpoints.NO_VLAN) {
            append(value, name, vlan);
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
