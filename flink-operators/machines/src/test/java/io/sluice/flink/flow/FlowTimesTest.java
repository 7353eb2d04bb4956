/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static io.sluice.flink.flow.FlowFixture.segment;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.flow.FinishedFlow.Reason;
import io.sluice.flink.flow.Traffic.Segment;
import io.sluice.flink.machine.store.StoreKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Event time of what is emitted, and times far ahead and far back. */
class FlowTimesTest {

    private static final long YEAR = Duration.ofDays(365).toMillis();
    private static final long NOW = 56 * YEAR;

    private final FlowFixture flows = new FlowFixture(8);

    @AfterEach
    void close() throws Exception {
        flows.close();
    }

    @Test
    void flowsThatTimeOutLeaveBeforeTheWatermarkAndNeverBehindIt() throws Exception {
        flows.start(1);
        var harness = flows.stream.harnesses().get(0);
        SplittableRandom random = new SplittableRandom(3);
        long flow = 0;
        for (long millis = 1; millis < 200_000; millis += 50) {
            harness.processElement(segment(++flow, true, TcpFlags.SYN, millis), millis);
            if (random.nextInt(4) == 0) {
                harness.processWatermark(millis - random.nextLong(100));
            }
        }
        harness.processWatermark(400_000);
        assertThat(harness.extractOutputValues()).hasSize(4_000);
        assertThat(FlowFixture.behindWatermark(harness.getOutput())).isZero();
    }

    @Test
    void whatPacketsBehindTheWatermarkLeadToIsNotBehindIt() throws Exception {
        flows.start(1);
        var harness = flows.stream.harnesses().get(0);
        harness.processWatermark(500_000);
        harness.processElement(segment(1, true, TcpFlags.SYN, 1_000), 1_000);
        harness.processElement(segment(1, false, TcpFlags.RST, 2_000), 2_000);
        harness.processElement(segment(2, true, TcpFlags.SYN, 3_000), 3_000);
        harness.processElement(segment(3, true, TcpFlags.FIN, 4_000), 4_000);
        harness.processWatermark(600_000);
        assertThat(harness.extractOutputValues())
                .extracting(FinishedFlow::millis)
                .containsExactlyInAnyOrder(2_000L, 60_000L, 600_000L);
        assertThat(FlowFixture.behindWatermark(harness.getOutput())).isZero();
        assertThat(harness.getSideOutput(FlowFixture.ALERTS))
                .isNotEmpty()
                .allMatch(record -> record.getTimestamp() == 500_001);
    }

    /** Connections, one a second for five minutes, and one packet far ahead among them. */
    private List<Segment> withOnePacketAhead(long ahead, int at) {
        List<Segment> segments = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            if (i == at) {
                segments.add(segment(1_000_000, true, TcpFlags.SYN, NOW + i * 1_000L + ahead));
            }
            segments.addAll(Connection.of(i + 1).at(NOW + i * 1_000L).every(50).whole());
            segments.add(segment(10_000 + i, true, TcpFlags.SYN, NOW + i * 1_000L + 500));
        }
        return segments;
    }

    /** Watermarks of right times, which do not follow the wild packet. */
    private List<FinishedFlow> runWithRightWatermarks(List<Segment> segments) throws Exception {
        List<FinishedFlow> finished = new ArrayList<>();
        long last = 0;
        for (Segment each : segments) {
            finished.addAll(flows.process(each));
            boolean isRight = each.millis() < NOW + YEAR;
            if (isRight && each.millis() / 500 != last) {
                last = each.millis() / 500;
                finished.addAll(flows.stream.advance(each.millis() - 1));
            }
        }
        return finished;
    }

    @ParameterizedTest
    @CsvSource({"0, 11", "3, 11", "150, 11", "0, 70", "150, 70", "150, 200", "0, 100000000"})
    void onePacketYearsAheadChangesNothingForTheOthersNorInASnapshot(int at, int years)
            throws Exception {
        for (StoreKind store : StoreKind.values()) {
            flows.stream.setState(null);
            flows.store = store;
            flows.bits = 160;
            flows.start(1);
            List<Segment> segments = withOnePacketAhead(years * YEAR, at);
            int half = segments.size() / 2;
            List<FinishedFlow> finished = runWithRightWatermarks(segments.subList(0, half));
            flows.stream.snapshot();
            flows.start(1);
            finished.addAll(runWithRightWatermarks(segments.subList(half, segments.size())));
            // Times ahead are believed for an hour, and a flow may be idle for two timeouts.
            finished.addAll(flows.stream.advance(NOW + Duration.ofHours(3).toMillis()));
            assertThat(finished)
                    .filteredOn(flow -> flow.state().equals(ConnState.SF.name()))
                    .hasSize(300);
            if (store == StoreKind.EXACT) {
                assertThat(finished)
                        .filteredOn(FinishedFlow::reason, Reason.TIMED_OUT.name())
                        .filteredOn(flow -> flow.flow() < 1_000_000)
                        .hasSize(300)
                        .allMatch(flow -> flow.state().equals(ConnState.S0.name()))
                        .allMatch(
                                flow ->
                                        flow.millis()
                                                <= NOW + (flow.flow() - 10_000) * 1_000 + 60_500);
            }
            assertThat(flows.stream.gaugeSum(FlowMetrics.FLOWS)).isZero();
            assertThat(flows.stream.gaugeSum(FlowMetrics.TIMED_OUT + ConnState.S0)).isEqualTo(301);
        }
    }

    @Test
    void aPacketFarAheadIsHeldAsIfAtTheBoundAndCounted() throws Exception {
        flows.maxFuture = Duration.ofMinutes(10);
        flows.start(1);
        flows.stream.advance(NOW);
        flows.process(segment(1, true, TcpFlags.SYN, NOW + 20 * YEAR));
        assertThat(flows.process(segment(1, false, TcpFlags.RST, NOW + 30 * YEAR)))
                .extracting(FinishedFlow::millis)
                .containsExactly(NOW + 600_000);
        flows.process(segment(2, true, TcpFlags.SYN, NOW + 599_999));
        assertThat(flows.stream.counter(FlowMetrics.FUTURE)).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void theNextRightWatermarkBringsEverythingBack(StoreKind store) throws Exception {
        flows.store = store;
        flows.bits = 160;
        flows.start(1);
        flows.stream.advance(NOW);
        flows.process(segment(1, true, TcpFlags.SYN, NOW + 1_000));
        // The watermark jumps, and every right packet is late from here on.
        flows.stream.advance(NOW + 12 * YEAR);
        flows.process(segment(2, true, TcpFlags.SYN, NOW + 12 * YEAR + 1));
        List<FinishedFlow> finished = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            for (Segment each : Connection.of(100 + i).at(NOW + 2_000 + i).whole()) {
                finished.addAll(flows.process(each));
            }
            flows.process(segment(200 + i, true, TcpFlags.SYN, NOW + 3_000));
        }
        assertThat(finished).hasSize(50).allMatch(flow -> flow.state().equals(ConnState.SF.name()));
        flows.stream.snapshot();
        flows.start(1);
        flows.stream.advance(NOW + 4_000);
        long open = flows.stream.gaugeSum(FlowMetrics.OPEN);
        // The flows that began at right times, and the one that the jump brought.
        assertThat(open).isEqualTo(51);
        flows.stream.advance(NOW + 100_000);
        // Fingerprints do not tell apart what is older than the watermark of their key group: that
        // counts as used at the latest time that is believed.
        long most = store == StoreKind.FINGERPRINTS ? 51 : 1;
        assertThat(flows.stream.gaugeSum(FlowMetrics.OPEN)).isBetween(1L, most);
        flows.stream.advance(NOW + Duration.ofHours(2).toMillis());
        assertThat(flows.stream.gaugeSum(FlowMetrics.FLOWS)).isZero();
    }

    @Test
    void aConnectionSilentForLongerThanItsTimeoutIsTwoFlowsAndEachIsReportedOnce()
            throws Exception {
        flows.start(1);
        List<FinishedFlow> finished =
                new ArrayList<>(flows.run(Connection.of(7).at(1_000).opened()));
        long later = Duration.ofMinutes(11).toMillis();
        finished.addAll(flows.run(Connection.of(7).at(later).withoutHandshake()));
        finished.addAll(flows.stream.advance(10 * later));
        assertThat(finished)
                .extracting(flow -> flow.state() + " " + flow.reason())
                .containsExactly("S1 TIMED_OUT", "OTH ENDED");
    }

    @ParameterizedTest
    @EnumSource
    void whatTrailsDoesNotKeepAFlowThatHasEnded(StoreKind store) throws Exception {
        flows.store = store;
        flows.start(1);
        flows.run(Connection.of(7).at(1_000).whole());
        List<FinishedFlow> finished = new ArrayList<>();
        for (long millis = 2_000; millis <= 60_000; millis += 1_000) {
            finished.addAll(flows.process(segment(7, true, TcpFlags.ACK, millis)));
        }
        finished.addAll(flows.process(segment(7, true, TcpFlags.RST, 61_000)));
        assertThat(finished).extracting(FinishedFlow::state).containsExactly("OTH");
    }

    @ParameterizedTest
    @EnumSource
    void synAndAckAfterAnEndByFinBeginAConnectionWhoseSynWasNotSeen(StoreKind store)
            throws Exception {
        flows.store = store;
        flows.start(1);
        List<FinishedFlow> finished =
                new ArrayList<>(flows.run(Connection.of(7).at(1_000).whole()));
        finished.addAll(flows.run(Connection.of(7).at(5_000).withoutSyn()));
        assertThat(finished).extracting(FinishedFlow::state).containsExactly("SF", "SF");
    }

    @Test
    void synAndAckAfterARstAreThoseOfBeforeRepeated() throws Exception {
        flows.start(1);
        List<Segment> segments = new ArrayList<>(Connection.of(7).at(1_000).halfOpen());
        segments.add(segment(7, true, TcpFlags.RST, 1_020));
        segments.add(segment(7, false, TcpFlags.SYN | TcpFlags.ACK, 2_000));
        segments.add(segment(7, true, TcpFlags.RST, 2_010));
        assertThat(flows.run(segments)).extracting(FinishedFlow::state).containsExactly("RSTO");
    }
}
