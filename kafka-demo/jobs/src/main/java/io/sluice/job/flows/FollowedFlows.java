/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.flows;

import io.sluice.flink.attack.AttackAlert;
import io.sluice.flink.flow.Attempt;
import io.sluice.flink.flow.Endpoints;
import io.sluice.flink.flow.FinishedFlow;
import io.sluice.flink.flow.FlowAlert;
import io.sluice.flink.flow.FlowStateMachine;
import io.sluice.flink.flow.FlowTypes;
import io.sluice.flink.flow.TcpView;
import io.sluice.job.packet.Reduce;
import io.sluice.job.packet.Reduction;
import io.sluice.job.packet.TcpSegment;
import io.sluice.record.FlowKind;
import io.sluice.record.PacketRecord;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.util.OutputTag;

/**
 * The TCP flows of a stream of packets, followed the same way wherever the packets come from.
 *
 * @param flows that are over
 * @param alerts about packets
 * @param attacks floods and scans; empty if nobody wants them
 */
public record FollowedFlows(
        DataStream<FinishedFlow> flows,
        DataStream<FlowAlert> alerts,
        Optional<DataStream<AttackAlert>> attacks) {
    /** Uid of the operator that follows flows, as metrics and savepoints know it. */
    public static final String UID = "flows";

    /** Its full name in metrics. */
    public static final String OPERATOR = "FlowStateMachine: " + UID;

    /** Prefix of the uids of the operators that look for attacks. */
    public static final String ATTACKS = "attacks";

    private static final OutputTag<Attempt> ATTEMPT_TAG =
            new OutputTag<>("attempts", FlowTypes.ATTEMPT);
    private static final OutputTag<FlowAlert> ALERT_TAG =
            new OutputTag<>("alerts", FlowTypes.FLOW_ALERT);

    /**
     * Follows the flows of {@code packets}, which have timestamps and watermarks; the packets of a
     * flow come in order, from one subtask.
     */
    public static FollowedFlows of(DataStream<PacketRecord> packets, FlowArguments how) {
        Reduction<TcpSegment> reduction = Reduction.toSegment(how.flow);
        return ofSegments(
                packets.process(new Reduce<>(reduction), reduction.type())
                        // Another parallelism would distribute the packets of a flow.
                        .setParallelism(packets.getParallelism())
                        .uid("reduce")
                        .name("reduce"),
                how);
    }

    static FollowedFlows ofSegments(DataStream<TcpSegment> segments, FlowArguments how) {
        FlowStateMachine<TcpSegment> machine =
                FlowStateMachine.of(new View(how.flow))
                        .uid(UID)
                        .store(how.store)
                        .timeouts(how.timeouts())
                        .maxFuture(how.maxFuture())
                        .expecting(how.expecting)
                        .bitsPerFlow(how.bitsPerFlow)
                        .memory(how.memory)
                        .whenFull(how.whenFull)
                        .alerts(ALERT_TAG);
        if (!how.withoutAttacks) {
            machine.attempts(ATTEMPT_TAG);
        }
        SingleOutputStreamOperator<FinishedFlow> flows = machine.apply(segments);
        return new FollowedFlows(
                flows,
                flows.getSideOutput(ALERT_TAG),
                how.withoutAttacks
                        ? Optional.empty()
                        : Optional.of(
                                how.attacks()
                                        .uid(ATTACKS)
                                        .apply(flows.getSideOutput(ATTEMPT_TAG))));
    }

    private record View(FlowKind kind) implements TcpView<TcpSegment> {

        @Override
        public String scheme() {
            return kind.code();
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
        public Endpoints endpoints(TcpSegment segment) {
            return segment.endpoints();
        }
    }
}
