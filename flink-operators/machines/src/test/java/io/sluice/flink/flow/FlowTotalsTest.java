/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static io.sluice.flink.flow.FlowFixture.segment;
import static io.sluice.flink.flow.FlowFixture.syn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.sun.management.ThreadMXBean;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.flink.OptionException;
import io.sluice.flink.flow.Traffic.Segment;
import io.sluice.flink.machine.store.ExactStore;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.StoreMemory;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.MemorySize;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Totals of flows; those of random packets, restores and rescaling are in {@link FlowRandomTest}.
 */
class FlowTotalsTest {

    private final FlowFixture flows = new FlowFixture(8);

    @BeforeEach
    void keepTotals() {
        flows.totals = true;
    }

    @AfterEach
    void close() throws Exception {
        flows.close();
    }

    private static int bytes(Segment segment) {
        return new FlowFixture.View().bytes(segment);
    }

    /** The ends of a flow that the lower one began. */
    private static Endpoints ends(long flow) {
        return new FlowFixture.View().endpoints(syn(flow, 0));
    }

    @Test
    void aFlowThatEndsHasTheTotalsUpToItsEnd() throws Exception {
        flows.start(2);
        List<Segment> segments = Connection.of(7).at(1_000).whole();

        List<FinishedFlow> finished = flows.run(segments);

        assertThat(finished)
                .extracting(FinishedFlow::totals)
                .containsExactly(
                        new FlowTotals(
                                ends(7),
                                1_000,
                                1_050,
                                3,
                                bytes(segments.get(0))
                                        + bytes(segments.get(2))
                                        + bytes(segments.get(4)),
                                3,
                                bytes(segments.get(1))
                                        + bytes(segments.get(3))
                                        + bytes(segments.get(5))));
        assertThat(finished.get(0).ends()).isEqualTo(ends(7));
        assertThat(finished.get(0).vlan()).isEqualTo(10);
    }

    @Test
    void aFlowThatTimesOutOrIsOpenAtTheEndHasItsEndsToo() throws Exception {
        flows.start(1);
        flows.process(segment(8, false, TcpFlags.SYN, 500));
        FinishedFlow timedOut = flows.stream.advance(90_000).get(0);
        flows.run(Connection.of(9).at(100_000).opened());

        FinishedFlow open = flows.stream.advance(Long.MAX_VALUE).get(0);

        assertThat(timedOut.reason()).isEqualTo(FinishedFlow.Reason.TIMED_OUT.name());
        assertThat(timedOut.ends()).isEqualTo(ends(8).reversed());
        assertThat(timedOut.totals().originatorPackets()).isEqualTo(1);
        assertThat(timedOut.totals().responderPackets()).isZero();
        assertThat(open.reason()).isEqualTo(FinishedFlow.Reason.END_OF_INPUT.name());
        assertThat(open.ends()).isEqualTo(ends(9));
        assertThat(open.totals().lastMillis()).isEqualTo(100_030);
    }

    @Test
    void theConnectionThatFollowsAnotherStartsFromNothing() throws Exception {
        flows.start(1);
        flows.run(Connection.of(7).at(1_000).whole());

        List<FinishedFlow> second = flows.run(Connection.of(7).at(2_000).whole());

        assertThat(second).hasSize(1);
        assertThat(second.get(0).totals().firstMillis()).isEqualTo(2_000);
        assertThat(second.get(0).totals().originatorPackets()).isEqualTo(3);
    }

    @Test
    void afterADrainTheTotalsGoOn() throws Exception {
        Connection seven = Connection.of(7).at(1_000);
        flows.start(2);
        flows.run(seven.opened());
        assertThat(flows.stream.advance(Long.MAX_VALUE))
                .extracting(flow -> flow.totals().originatorPackets())
                .containsExactly(2L);
        assertThat(flows.stream.endInput()).isEmpty();
        flows.stream.snapshot();
        flows.start(3);

        List<FinishedFlow> finished = flows.run(seven.closed());

        assertThat(finished)
                .extracting(FinishedFlow::totals)
                .extracting(FlowTotals::firstMillis, FlowTotals::originatorPackets)
                .containsExactly(tuple(1_000L, 3L));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "EXACT")
    void storesThatDoNotKnowTheirFlowsAreRefusedByName(StoreKind store) {
        assertThatThrownBy(
                        () ->
                                FlowStateMachine.of(new FlowFixture.View())
                                        .store(store)
                                        .totals()
                                        .check())
                .isInstanceOf(OptionException.class)
                .hasMessageContaining("totals needs store(EXACT), but the store is " + store);
    }

    @Test
    void stateWithTheOtherChoiceIsRefusedByName() throws Exception {
        flows.start(1);
        flows.process(syn(7, 1_000));
        flows.stream.snapshot();
        flows.totals = false;
        assertThatThrownBy(() -> flows.start(1)).hasStackTraceContaining(", totals");
    }

    @Test
    void whereMemoryIsShortFlowsAreFollowedWithoutTotalsAndCounted() throws Exception {
        flows.memory = MemorySize.ofMebiBytes(1);
        flows.start(1);
        int begun = 10_000;
        for (int flow = 0; flow < begun; flow++) {
            flows.process(syn(flow * 0x9E3779B97F4A7C15L, 1_000));
        }

        List<FinishedFlow> timedOut = flows.stream.advance(1_000_000);

        long without = flows.stream.gaugeSum(FlowMetrics.WITHOUT_TOTALS);
        assertThat(timedOut).hasSize(begun);
        assertThat(without).isBetween(2_000L, 4_000L);
        assertThat(timedOut).filteredOn(flow -> flow.totals() == null).hasSize((int) without);
        assertThat(flows.stream.gaugeSum(FlowMetrics.WITHOUT_ROOM)).isZero();
        assertThat(flows.stream.gaugeSum(FlowMetrics.BYTES)).isLessThan(1L << 20);
    }

    private static FlowTracker tracker(TotalsTable totals) {
        return new FlowTracker(
                new ConnectionMachine(true),
                new ExactStore(FlowTimeouts.DEFAULT.states(), StoreMemory.unlimited()),
                new FlowCounts(),
                FlowTracker.TimedOut.IGNORE,
                totals);
    }

    @Test
    void totalsOfFlowsThatAreNotHeldAreRefused() {
        TotalsTable totals = new TotalsTable(StoreMemory.unlimited());
        totals.add(totals.begin(7, null, true, 0), true, 1, 1, 0);
        assertThatThrownBy(() -> tracker(totals).checked("state"))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("has totals of 1 flows, and holds 0 of them");
    }

    @Test
    void nothingIsAllocatedForAPacket() {
        FlowTracker tracker = tracker(new TotalsTable(StoreMemory.unlimited()));
        List<Segment> packets = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            packets.add(segment(i * 0x9E3779B97F4A7C15L, true, TcpFlags.ACK, 1_000));
        }
        packets.forEach(packet -> follow(tracker, packet));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int round = 0; round < 100; round++) {
            for (int i = 0; i < 1_000; i++) {
                follow(tracker, packets.get(i));
            }
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before)
                .as("bytes for 100 000 packets")
                .isLessThan(10_000);
        assertThat(tracker.totals().totals(0, true).originatorPackets()).isEqualTo(101);
    }

    private static void follow(FlowTracker tracker, Segment packet) {
        int transition =
                tracker.follow(packet.flow(), packet.fromLower(), packet.flags(), packet.millis());
        tracker.count(transition, packet.flow(), packet.fromLower(), 1, 60, packet.millis(), null);
    }
}
