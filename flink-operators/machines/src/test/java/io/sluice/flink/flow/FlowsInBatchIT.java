/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.flow.FinishedFlow.Reason;
import io.sluice.flink.machine.store.StoreKind;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Flows of a bounded input, as a stream and in BATCH execution. */
class FlowsInBatchIT {

    private static final long FLOWS = 5_000;
    private static final int KINDS = 4;
    private static final int PACKETS = 7;

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    private static final Queue<FinishedFlow> FINISHED = new ConcurrentLinkedQueue<>();

    private static final class Keep implements MapFunction<FinishedFlow, FinishedFlow> {
        @Override
        public FinishedFlow map(FinishedFlow flow) {
            FINISHED.add(flow);
            return flow;
        }
    }

    /**
     * A packet is its number: all first packets of flows, then all second ones. A quarter of the
     * flows are whole connections; a quarter have an hour of silence in them; a quarter are only a
     * SYN; and a quarter have all packets in one millisecond.
     */
    record View() implements TcpView<Long> {
        static long millis(long packet) {
            long step = packet / FLOWS;
            return switch ((int) (packet % KINDS)) {
                case 1 -> step < 3 ? step : 3_600_000 + step;
                case 3 -> 500;
                default -> step;
            };
        }

        @Override
        public String scheme() {
            return "test";
        }

        @Override
        public boolean isSegment(Long packet) {
            return packet % KINDS != 2 || packet < FLOWS;
        }

        @Override
        public long flow(Long packet) {
            return packet % FLOWS * 0x9E3779B97F4A7C15L;
        }

        @Override
        public boolean fromLower(Long packet) {
            long step = packet / FLOWS;
            return step != 1 && step != 3 && step != 5;
        }

        @Override
        public Endpoints endpoints(Long packet) {
            Endpoints fromLower =
                    new Endpoints(
                            new Address(1, packet % FLOWS), 50_000, Address.ofIpv4(0x0a000001), 80);
            return fromLower(packet) ? fromLower : fromLower.reversed();
        }

        @Override
        public int bytes(Long packet) {
            return (int) (40 + packet / FLOWS);
        }

        @Override
        public int flags(Long packet) {
            return switch ((int) (packet / FLOWS)) {
                case 0 -> TcpFlags.SYN;
                case 1 -> TcpFlags.SYN | TcpFlags.ACK;
                case 4, 5 -> TcpFlags.FIN | TcpFlags.ACK;
                default -> TcpFlags.ACK;
            };
        }
    }

    @BeforeEach
    void forget() {
        FINISHED.clear();
    }

    private static Map<String, Long> run(RuntimeExecutionMode mode, StoreKind store)
            throws Exception {
        return run(mode, FlowStateMachine.of(new View()).store(store));
    }

    private static Map<String, Long> run(RuntimeExecutionMode mode, FlowStateMachine<Long> flows)
            throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setRuntimeMode(mode);
        env.setParallelism(2);
        DataStream<Long> packets =
                env.fromSequence(0, FLOWS * PACKETS - 1)
                        .setParallelism(1)
                        .assignTimestampsAndWatermarks(
                                WatermarkStrategy.<Long>noWatermarks()
                                        .withTimestampAssigner((n, old) -> View.millis(n)))
                        .setParallelism(1);
        flows.uid("flows")
                .apply(packets)
                .map(new Keep())
                .returns(FlowTypes.FINISHED_FLOW)
                .sinkTo(new DiscardingSink<>());
        env.execute();
        return FINISHED.stream()
                .collect(
                        Collectors.groupingBy(
                                flow -> flow.state() + " " + flow.reason(), Collectors.counting()));
    }

    @ParameterizedTest
    @EnumSource
    void inBatchEveryFlowIsReportedOnceAndTimesOutByItsOwnPackets(StoreKind store)
            throws Exception {
        assertThat(run(RuntimeExecutionMode.BATCH, store))
                .isEqualTo(
                        Map.of(
                                "SF ENDED", FLOWS / 2,
                                "S1 TIMED_OUT", FLOWS / 4,
                                "OTH ENDED", FLOWS / 4,
                                "S0 END_OF_INPUT", FLOWS / 4));
    }

    /** Within a millisecond it is not known what trailed behind the end, and is not counted. */
    private static FinishedFlow inOrder(FinishedFlow flow) {
        boolean isOfOneMilli =
                flow.reason().equals(Reason.ENDED.name())
                        && flow.firstMillis() == flow.lastMillis();
        return isOfOneMilli
                ? FinishedFlow.of(
                        flow.flow(),
                        ConnState.valueOf(flow.state()),
                        Reason.ENDED,
                        flow.millis(),
                        flow.ends())
                : flow;
    }

    @Test
    void aBoundedStreamReportsTheSameFlows() throws Exception {
        run(RuntimeExecutionMode.BATCH, FlowStateMachine.of(new View()).totals());
        List<FinishedFlow> batch = List.copyOf(FINISHED);
        FINISHED.clear();
        run(RuntimeExecutionMode.STREAMING, FlowStateMachine.of(new View()).totals());
        assertThat(FINISHED).allMatch(flow -> flow.totals() != null && flow.ends() != null);
        assertThat(FINISHED.stream().map(FlowsInBatchIT::inOrder))
                .containsExactlyInAnyOrderElementsOf(
                        batch.stream().map(FlowsInBatchIT::inOrder).toList());
        assertThat(FINISHED)
                .filteredOn(flow -> flow.reason().equals(Reason.END_OF_INPUT.name()))
                .hasSize((int) FLOWS / 4)
                .allMatch(flow -> flow.state().equals(ConnState.S0.name()));
    }
}
