/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.flink.Backends;
import io.sluice.flink.DamagedState;
import io.sluice.flink.OnLate;
import io.sluice.flink.flow.Traffic.Segment;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.WhenFull;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.Supplier;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the operator reports about flows, across failures, rescaling and changes of its options. */
class FlowOperatorTest {

    private static final int MAX_PARALLELISM = 100;
    private static final long MILLIS = 60_000;
    private static final OutputTag<FlowAlert> ALERTS =
            new OutputTag<>("alerts", FlowTypes.FLOW_ALERT);
    private static final OutputTag<Segment> LATE =
            new OutputTag<>("late", TypeInformation.of(Segment.class));
    private static final Address LOWER = Address.ofIpv4(0x7f000001);
    private static final Address UPPER = new Address(1, 2);
    private static final FlowTimeouts TIMEOUTS =
            new FlowTimeouts(
                    Duration.ofSeconds(2), Duration.ofSeconds(5), Duration.ofSeconds(1), 2);

    /** Segments are what their fields say; segments of flow 0 are not TCP. */
    private static final class View implements TcpView<Segment> {
        private final String scheme;

        View(String scheme) {
            this.scheme = scheme;
        }

        @Override
        public String scheme() {
            return scheme;
        }

        @Override
        public boolean isSegment(Segment segment) {
            return segment.flow() != 0;
        }

        @Override
        public long flow(Segment segment) {
            return segment.flow();
        }

        @Override
        public boolean fromLower(Segment segment) {
            return segment.fromLower();
        }

        @Override
        public int flags(Segment segment) {
            return segment.flags();
        }

        @Override
        public Endpoints endpoints(Segment segment) {
            Endpoints fromLower = new Endpoints(LOWER, 50_000, UPPER, 80);
            return segment.fromLower() ? fromLower : fromLower.reversed();
        }
    }

    private final Subtasks<Long, Segment, FinishedFlow> stream =
            new Subtasks<>(Segment::flow, Types.LONG, MAX_PARALLELISM, Backends.HASHMAP);
    private OnLate<Segment> onLate = OnLate.forward();
    private String scheme = "test";

    @AfterEach
    void close() throws Exception {
        stream.close();
    }

    private Supplier<OneInputStreamOperator<Segment, FinishedFlow>> operator(
            StoreKind store, FlowTimeouts timeouts, double bits) {
        Configuration options = FlowFixture.options(store, timeouts);
        options.set(FlowOptions.EXPECTING, 1_000L);
        options.set(FlowOptions.BITS_PER_FLOW, bits);
        options.set(FlowOptions.MEMORY, MemorySize.ofMebiBytes(64));
        options.set(FlowOptions.WHEN_FULL, WhenFull.FAIL);
        FlowSettings settings = FlowSettings.of(options);
        return () -> new FlowOperator<>(new View(scheme), settings, onLate, ALERTS);
    }

    private Supplier<OneInputStreamOperator<Segment, FinishedFlow>> operator(StoreKind store) {
        return operator(store, TIMEOUTS, 160);
    }

    private List<FinishedFlow> process(List<Segment> segments) throws Exception {
        List<FinishedFlow> finished = new ArrayList<>();
        for (Segment each : segments) {
            finished.addAll(stream.process(each, each.millis()));
        }
        return finished;
    }

    @ParameterizedTest
    @EnumSource
    void reportsTheSameFlowsWhereverItFailsAndHoweverItIsRescaled(StoreKind store)
            throws Exception {
        List<Segment> segments = Traffic.of(Seeds.random(), 1_500, MILLIS);
        stream.start(1, operator(store));
        List<FinishedFlow> expected = process(segments);
        expected.addAll(stream.advance(3 * MILLIS));
        long began = stream.gaugeSum(FlowMetrics.BEGAN);
        long ended = stream.gaugeSum(FlowMetrics.ENDED + ConnState.SF);
        stream.close();

        List<FinishedFlow> reported = new ArrayList<>();
        Subtasks<Long, Segment, FinishedFlow> again =
                new Subtasks<>(Segment::flow, Types.LONG, MAX_PARALLELISM, Backends.HASHMAP);
        int[] parallelisms = {3, 2, 5, 4, 1, 7, 100, 33};
        int part = segments.size() / parallelisms.length + 1;
        for (int i = 0; i < parallelisms.length; i++) {
            int from = Math.min(segments.size(), i * part);
            int to = Math.min(segments.size(), from + part);
            again.start(parallelisms[i], operator(store));
            for (Segment each : segments.subList(from, to)) {
                reported.addAll(again.process(each, each.millis()));
            }
            again.snapshot();
            // The failure undoes what comes after the snapshot.
            for (Segment each : segments.subList(to, Math.min(segments.size(), to + 50))) {
                again.process(each, each.millis());
            }
        }
        again.start(2, operator(store));
        for (var harness : again.harnesses()) {
            harness.processWatermark(3 * MILLIS);
            reported.addAll(harness.extractOutputValues());
        }
        assertThat(reported).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(reported).hasSizeGreaterThan(500).doesNotHaveDuplicates();
        long beganAgain = 0;
        long endedAgain = 0;
        for (int i = 0; i < 2; i++) {
            beganAgain += again.gauge(i, FlowMetrics.BEGAN, Long.class);
            endedAgain += again.gauge(i, FlowMetrics.ENDED + ConnState.SF, Long.class);
        }
        again.close();
        assertThat(beganAgain).isEqualTo(began);
        assertThat(endedAgain).isEqualTo(ended).isPositive();
    }

    @Test
    void bothStoresReportTheSameEndsAndTheExactOneTheFlowsThatTimedOutToo() throws Exception {
        List<Segment> segments = Traffic.of(Seeds.random(), 1_500, MILLIS);
        stream.start(2, operator(StoreKind.EXACT));
        List<FinishedFlow> exact = process(segments);
        exact.addAll(stream.advance(3 * MILLIS));
        long timedOut = stream.gaugeSum(FlowMetrics.TIMED_OUT + ConnState.S0);
        stream.close();
        stream.setState(null);
        stream.start(2, operator(StoreKind.KBF));
        List<FinishedFlow> filter = process(segments);
        assertThat(stream.advance(3 * MILLIS)).isEmpty();
        assertThat(stream.gaugeSum(FlowMetrics.AMBIGUOUS)).isZero();
        assertThat(stream.gaugeSum(FlowMetrics.TIMED_OUT + ConnState.S0))
                .isEqualTo(timedOut)
                .isPositive();
        exact.removeIf(flow -> flow.reason().equals(FinishedFlow.Reason.TIMED_OUT.name()));
        assertThat(filter).containsExactlyInAnyOrderElementsOf(exact);
        assertThat(new HashSet<>(filter)).hasSameSizeAs(filter);
    }

    @ParameterizedTest
    @EnumSource
    void otherOptionsTakeOverTheFlows(StoreKind store) throws Exception {
        stream.start(2, operator(store));
        process(List.of(new Segment(5, true, TcpFlags.SYN, 1_000)));
        stream.snapshot();
        FlowTimeouts longer =
                new FlowTimeouts(
                        Duration.ofSeconds(7), Duration.ofSeconds(9), Duration.ofSeconds(3), 1);
        stream.start(3, operator(store, longer, 64));
        assertThat(process(List.of(new Segment(5, false, TcpFlags.RST, 5_000))))
                .containsExactly(
                        FinishedFlow.of(
                                5,
                                ConnState.REJ,
                                FinishedFlow.Reason.ENDED,
                                5_000,
                                new Endpoints(LOWER, 50_000, UPPER, 80)));
    }

    @Test
    void alertsAreRaisedOnceAFlowAndForEachNonsensicalPacket() throws Exception {
        stream.start(2, operator(StoreKind.EXACT));
        int xmas = TcpFlags.FIN | TcpFlags.PSH | TcpFlags.URG;
        process(
                List.of(
                        new Segment(7, true, TcpFlags.ACK, 1),
                        new Segment(7, true, TcpFlags.FIN | TcpFlags.ACK, 2),
                        new Segment(7, false, TcpFlags.RST, 3),
                        new Segment(7, false, TcpFlags.RST, 4),
                        new Segment(8, true, xmas, 5),
                        new Segment(0, true, xmas, 6)));
        assertThat(stream.sideOutput(ALERTS))
                .containsExactlyInAnyOrder(
                        FlowAlert.of(FlowAlert.Kind.FIN_AND_RST, 7, TcpFlags.RST, 3),
                        FlowAlert.of(FlowAlert.Kind.ILLEGAL_FLAGS, 8, xmas, 5));
        assertThat(stream.counter(FlowMetrics.SKIPPED)).isEqualTo(1);
        assertThat(stream.gaugeSum(FlowMetrics.ILLEGAL)).isEqualTo(1);
        assertThat(stream.gaugeSum(FlowMetrics.FIN_AND_RST)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void attemptsAndCompletedHandshakesAreCountedOnce(StoreKind store) throws Exception {
        stream.start(2, operator(store));
        List<Segment> segments = new ArrayList<>();
        for (long flow = 7; flow < 9; flow++) {
            segments.add(new Segment(flow, true, TcpFlags.SYN, 1));
            segments.add(new Segment(flow, true, TcpFlags.SYN, 2));
        }
        segments.add(new Segment(7, false, TcpFlags.SYN | TcpFlags.ACK, 3));
        segments.add(new Segment(7, true, TcpFlags.ACK, 4));
        segments.add(new Segment(7, true, TcpFlags.ACK, 5));
        segments.add(new Segment(8, false, TcpFlags.RST | TcpFlags.ACK, 6));
        segments.add(new Segment(9, false, TcpFlags.SYN, 7));
        process(segments);
        assertThat(stream.gaugeSum(FlowMetrics.ATTEMPTS)).isEqualTo(3);
        assertThat(stream.gaugeSum(FlowMetrics.COMPLETED)).isEqualTo(1);
    }

    @Test
    void endsAreThoseOfOriginatorAndResponderOrOfTheLastPacketAndOfATimeoutNone() throws Exception {
        stream.start(1, operator(StoreKind.EXACT));
        Endpoints fromLower = new Endpoints(LOWER, 50_000, UPPER, 80);
        List<FinishedFlow> finished =
                process(
                        List.of(
                                new Segment(1, true, TcpFlags.SYN, 1),
                                new Segment(2, false, TcpFlags.SYN, 2),
                                new Segment(3, false, TcpFlags.SYN, 3),
                                new Segment(3, true, TcpFlags.RST, 4),
                                new Segment(2, false, TcpFlags.RST, 5),
                                new Segment(4, false, TcpFlags.RST, 6)));
        assertThat(finished)
                .extracting(FinishedFlow::ends)
                .containsExactly(fromLower.reversed(), fromLower.reversed(), fromLower.reversed());
        assertThat(finished)
                .extracting(FinishedFlow::state)
                .containsExactly("REJ", "RSTOS0", "OTH");
        assertThat(stream.advance(MILLIS)).extracting(FinishedFlow::ends).containsOnlyNulls();
    }

    @Test
    void latePacketsAreCountedAndGoWhereTheyAreSent() throws Exception {
        stream.start(1, operator(StoreKind.EXACT));
        stream.advance(1_000);
        Segment late = new Segment(7, true, TcpFlags.RST, 1_000);
        assertThat(process(List.of(late))).hasSize(1);
        assertThat(stream.counter(FlowMetrics.LATE)).isEqualTo(1);
        stream.close();
        onLate = OnLate.sideOutput(LATE);
        stream.start(1, operator(StoreKind.EXACT));
        stream.advance(1_000);
        assertThat(process(List.of(late))).isEmpty();
        assertThat(stream.sideOutput(LATE)).containsExactly(late);
    }

    @Test
    void stateOfAnotherKindIsRefusedWithBothNames() throws Exception {
        stream.start(1, operator(StoreKind.EXACT));
        process(List.of(new Segment(7, true, TcpFlags.SYN, 1_000)));
        stream.snapshot();
        assertThatThrownBy(() -> stream.start(1, operator(StoreKind.KBF)))
                .hasStackTraceContaining("store=EXACT")
                .hasStackTraceContaining("store=KBF");
        scheme = "address pair";
        assertThatThrownBy(() -> stream.start(1, operator(StoreKind.EXACT)))
                .hasStackTraceContaining("flow=test")
                .hasStackTraceContaining("flow=address pair");
    }

    @ParameterizedTest
    @EnumSource
    void damagedStateIsNamed(StoreKind store) throws Exception {
        stream.start(1, operator(store));
        process(Traffic.of(Seeds.random(), 500, MILLIS));
        stream.snapshot();
        var state = stream.state();
        int size = DamagedState.rawKeyedStateSize(state);
        for (int damage = 1; damage <= 10; damage++) {
            stream.setState(DamagedState.flipped(state, (int) (size * (damage / 11.0))));
            assertThatThrownBy(() -> stream.start(1, operator(store)))
                    .isInstanceOf(CorruptFilterException.class)
                    .hasMessageContaining("key group");
        }
    }

    @Test
    void recordsNeedTimestamps() throws Exception {
        stream.start(1, operator(StoreKind.EXACT));
        assertThatThrownBy(
                        () ->
                                stream.process(
                                        new StreamRecord<>(
                                                new Segment(7, true, TcpFlags.SYN, 1_000))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no timestamp");
    }

    @Test
    void optionsAreChecked() {
        var env = StreamExecutionEnvironment.getExecutionEnvironment();
        var packets = env.fromData(new Segment(1, true, TcpFlags.SYN, 1));
        assertThatThrownBy(() -> FlowStateMachine.of(new View("test")).apply(packets))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("uid is required");
        Configuration configuration = new Configuration();
        configuration.set(FlowOptions.BITS_PER_FLOW, 2.0);
        assertThatThrownBy(
                        () ->
                                FlowStateMachine.of(new View("test"))
                                        .uid("flows")
                                        .configure(configuration)
                                        .apply(packets))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bitsPerFlow must be at least 16");
        assertThatThrownBy(
                        () ->
                                FlowStateMachine.of(new View("test"))
                                        .uid("flows")
                                        .expecting(0)
                                        .apply(packets))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expecting must be at least 1");
    }
}
