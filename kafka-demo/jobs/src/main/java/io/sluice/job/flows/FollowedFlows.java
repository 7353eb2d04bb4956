/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.flows;

import io.sluice.flink.flow.Endpoints;
import io.sluice.flink.flow.FinishedFlow;
import io.sluice.flink.flow.FlowAlert;
import io.sluice.flink.flow.FlowStateMachine;
import io.sluice.flink.flow.FlowTypes;
import io.sluice.flink.flow.TcpView;
import io.sluice.job.packet.Reduce;
import io.sluice.job.packet.Reduction;
import io.sluice.job.packet.TcpSegment;
import io.sluice.record.FlowKey;
import io.sluice.record.PacketRecord;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.util.OutputTag;

/**
 * The TCP flows of a stream of packets, followed the same way wherever the packets come from.
 *
 * @param flows that are over
 * @param alerts about packets
 */
public record FollowedFlows(DataStream<FinishedFlow> flows, DataStream<FlowAlert> alerts) {
    /** Uid of the operator that follows flows, as metrics and savepoints know it. */
    public static final String UID = "flows";

    /** Its full name in metrics. */
    public static final String OPERATOR = "FlowStateMachine: " + UID;

    private static final OutputTag<FlowAlert> ALERT_TAG =
            new OutputTag<>("alerts", FlowTypes.FLOW_ALERT);

    /**
     * Follows the flows of {@code packets}, which have timestamps and watermarks; the packets of a
     * flow come in order, from one subtask.
     */
    public static FollowedFlows of(DataStream<PacketRecord> packets, FlowArguments how) {
        Reduction<TcpSegment> reduction = Reduction.toSegment(how.key());
        return ofSegments(
                packets.process(new Reduce<>(reduction), reduction.type())
                        // Another parallelism would distribute the packets of a flow.
                        .setParallelism(packets.getParallelism())
                        .uid("reduce")
                        .name("reduce"),
                how);
    }

    static FollowedFlows ofSegments(DataStream<TcpSegment> segments, FlowArguments how) {
        SingleOutputStreamOperator<FinishedFlow> flows =
                operator(how.key()).configure(how.options()).apply(segments);
        return new FollowedFlows(flows, flows.getSideOutput(ALERT_TAG));
    }

    static FlowStateMachine<TcpSegment> operator(FlowKey key) {
        return FlowStateMachine.of(new View(key)).uid(UID).alerts(ALERT_TAG);
    }

    private record View(FlowKey key) implements TcpView<TcpSegment> {

        @Override
        public String scheme() {
            return key.code();
        }

        @Override
        public boolean isSegment(TcpSegment segment) {
            return segment.isTcp();
        }

        @Override
        public long flow(TcpSegment segment) {
            return segment.flow();
        }

        @Override
        public boolean fromLower(TcpSegment segment) {
            return segment.fromLower();
        }

        @Override
        public int flags(TcpSegment segment) {
            return segment.flags();
        }

        @Override
        public int bytes(TcpSegment segment) {
            return segment.bytes();
        }

        @Override
        public Endpoints endpoints(TcpSegment segment) {
            return segment.endpoints();
        }
    }
}
