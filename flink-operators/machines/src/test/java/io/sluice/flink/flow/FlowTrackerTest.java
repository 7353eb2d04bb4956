/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.Seeds;
import io.sluice.filter.memory.Storage;
import io.sluice.flink.flow.Traffic.Segment;
import io.sluice.flink.machine.store.ExactStore;
import io.sluice.flink.machine.store.GenerationalStore;
import io.sluice.flink.machine.store.KeyValueGenerations;
import io.sluice.flink.machine.store.PlainGenerations;
import io.sluice.flink.machine.store.StateStore;
import io.sluice.flink.machine.store.StoreMemory;
import io.sluice.flink.machine.store.WhenFull;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stores compared with each other, and with a plain map from each flow to its packets. */
class FlowTrackerTest {

    private static final long MILLIS = 100_000;
    private static final KeyValueGenerations FILTERS =
            new KeyValueGenerations(96, 0, Storage.HEAP, IdleClass.frequencies());

    /** What was reported, as text, in order. */
    private static final class Report {
        final List<String> lines = new ArrayList<>();
        final FlowCounts counts = new FlowCounts();
        FlowTracker tracker;

        Report over(StateStore store) {
            tracker =
                    new FlowTracker(
                            new ConnectionMachine(true),
                            store,
                            counts,
                            (flow, state, millis, totals) ->
                                    lines.add(flow + " timed out " + state + " at " + millis));
            return this;
        }

        void follow(Segment segment) {
            int transition =
                    tracker.follow(
                            segment.flow(), segment.fromLower(), segment.flags(), segment.millis());
            if (transition >= 0 && ConnectionMachine.ends(transition)) {
                lines.add(segment.flow() + " ended " + ConnectionMachine.end(transition));
            }
        }

        /** With occasional watermarks, or none. */
        Report follow(List<Segment> segments, int every) {
            for (int i = 0; i < segments.size(); i++) {
                if (every > 0 && i % every == 0) {
                    tracker.advance(segments.get(i).millis());
                }
                follow(segments.get(i));
            }
            return this;
        }
    }

    private static FlowTimeouts timeouts(int slices) {
        return new FlowTimeouts(
                Duration.ofSeconds(2), Duration.ofSeconds(5), Duration.ofSeconds(1), slices);
    }

    private static Report exact(FlowTimeouts timeouts) {
        return new Report().over(new ExactStore(timeouts.states(), StoreMemory.unlimited()));
    }

    /** Every flow separately: an independent version of the timeout rules. */
    private static List<String> expected(List<Segment> segments, FlowTimeouts timeouts, long end) {
        ConnectionMachine machine = new ConnectionMachine(true);
        Map<Long, long[]> flows = new HashMap<>();
        List<String> lines = new ArrayList<>();
        for (Segment segment : segments) {
            long[] held = flows.get(segment.flow());
            if (held != null && segment.millis() >= over(held, timeouts)) {
                timedOut(segment.flow(), held, timeouts, lines);
                held = null;
            }
            int state = held == null ? ConnectionMachine.NONE : (int) held[0];
            int transition = machine.transition(state, segment.fromLower(), segment.flags());
            flows.put(
                    segment.flow(),
                    new long[] {ConnectionMachine.nextState(transition), segment.millis()});
            if (ConnectionMachine.ends(transition)) {
                lines.add(segment.flow() + " ended " + ConnectionMachine.end(transition));
            }
        }
        flows.forEach(
                (flow, held) -> {
                    if (end >= over(held, timeouts)) {
                        timedOut(flow, held, timeouts, lines);
                    }
                });
        return lines;
    }

    private static long over(long[] held, FlowTimeouts timeouts) {
        long slice = timeouts.sliceMillis(IdleClass.of((int) held[0]));
        return (held[1] / slice + timeouts.slices() + 1) * slice;
    }

    private static void timedOut(
            long flow, long[] held, FlowTimeouts timeouts, List<String> lines) {
        if (!FlowStates.isClosed((int) held[0])) {
            ConnState state = FlowStates.connState((int) held[0]);
            lines.add(flow + " timed out " + state + " at " + over(held, timeouts));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 16})
    void theExactStoreReportsWhatThePacketsOfEachFlowSayWheneverWatermarksCome(int slices) {
        FlowTimeouts timeouts = timeouts(slices);
        List<Segment> segments = Traffic.of(Seeds.random(), 2_000, MILLIS);
        List<String> expected = expected(segments, timeouts, 3 * MILLIS);
        assertThat(expected).hasSizeGreaterThan(2_000);
        for (int every : new int[] {0, 1, 100, 7_919}) {
            Report report = exact(timeouts).follow(segments, every);
            report.tracker.advance(3 * MILLIS);
            assertThat(report.lines).containsExactlyInAnyOrderElementsOf(expected);
            assertThat(report.tracker.store().machines()).isZero();
            assertThat(report.counts.began())
                    .isEqualTo(report.counts.ended() + report.counts.timedOut());
            assertThat(report.counts.attempts()).isGreaterThan(report.counts.completed());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 16})
    void generationsThatMakeNoErrorCountWhatTheExactStoreDoes(int slices) {
        FlowTimeouts timeouts = timeouts(slices);
        List<Segment> segments = Traffic.of(Seeds.random(), 2_000, MILLIS);
        for (int every : new int[] {0, 1, 100, 7_919}) {
            Report exact = exact(timeouts).follow(segments, every);
            Report generations =
                    new Report()
                            .over(
                                    new GenerationalStore(
                                            new PlainGenerations(),
                                            timeouts.states(),
                                            StoreMemory.unlimited(),
                                            1))
                            .follow(segments, every);
            exact.tracker.advance(3 * MILLIS);
            generations.tracker.advance(3 * MILLIS);
            assertThat(generations.lines)
                    .isEqualTo(
                            exact.lines.stream().filter(line -> line.contains("ended")).toList());
            for (ConnState state : ConnState.values()) {
                assertThat(generations.counts.timedOut(state))
                        .as("%s", state)
                        .isEqualTo(exact.counts.timedOut(state));
            }
            assertThat(generations.tracker.store().machines()).isZero();
        }
    }

    @Test
    void keyValueFiltersErrAsSeldomAsTheyPromise() {
        List<Segment> segments = Traffic.of(Seeds.random(), 20_000, MILLIS);
        FlowTimeouts timeouts = timeouts(1);
        GenerationalStore store =
                new GenerationalStore(FILTERS, timeouts.states(), StoreMemory.unlimited(), 32);
        Report exact = exact(timeouts).follow(segments, 100);
        Report filter = new Report().over(store).follow(segments, 100);
        assertThat(store.machines()).isGreaterThan(50);
        // A flow is looked up in at most two generations of each class, of a few tables at first.
        double perPacket = 0;
        for (IdleClass of : IdleClass.values()) {
            perPacket += 4 * FILTERS.plan(of.code()).totalError();
        }
        double mean = perPacket * segments.size();
        assertThat((double) filter.counts.ambiguous() + filter.counts.refused())
                .isLessThan(mean + 5 * Math.sqrt(mean));
        // Each lost or added end comes from a packet that was not followed, or from a false state.
        double ends = 2 * (mean + 5 * Math.sqrt(mean));
        for (ConnState state : ConnState.values()) {
            assertThat((double) Math.abs(filter.counts.ended(state) - exact.counts.ended(state)))
                    .as("%s", state)
                    .isLessThan(ends);
        }
        assertThat(Math.abs(filter.counts.began() - exact.counts.began())).isLessThan((long) ends);
    }

    @Test
    void generationsGrowAndShrinkWithTheirFlows() {
        GenerationalStore store =
                new GenerationalStore(FILTERS, timeouts(4).states(), StoreMemory.unlimited(), 32);
        Report report = new Report().over(store);
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < 5_000; i++) {
            report.follow(new Segment(random.nextLong(), true, TcpFlags.ACK, i));
        }
        long full = store.sizeInBytes();
        assertThat(full * Byte.SIZE / 5_000.0).isBetween(80.0, 160.0);
        report.tracker.advance(60_000);
        assertThat(store.machines()).isZero();
        assertThat(store.sizeInBytes()).isZero();
        assertThat(report.counts.timedOut(ConnState.OTH)).isEqualTo(report.counts.began());
    }

    private static StateStore store(boolean exact, StoreMemory memory) {
        return exact
                ? new ExactStore(timeouts(1).states(), memory)
                : new GenerationalStore(new PlainGenerations(), timeouts(1).states(), memory, 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void withoutRoomFlowsAreIgnoredAndCounted(boolean exact) {
        StoreMemory memory = new StoreMemory(2_000, WhenFull.IGNORE);
        Report report = new Report().over(store(exact, memory));
        for (long flow = 1; flow <= 1_000; flow++) {
            report.follow(new Segment(flow, true, TcpFlags.ACK, 0));
        }
        long held = report.tracker.store().machines();
        assertThat(held).isBetween(80L, 200L);
        assertThat(report.counts.began()).isEqualTo(held);
        assertThat(report.counts.withoutRoom()).isEqualTo(1_000 - held);
        assertThat(memory.refusals()).isEqualTo(1_000 - held);
        assertThat(memory.usedBytes()).isEqualTo(report.tracker.store().sizeInBytes());
        report.follow(new Segment(1, true, TcpFlags.FIN | TcpFlags.ACK, 0));
        assertThat(report.tracker.store().machines(FlowStates.MIDSTREAM_FIN)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void withoutRoomTheFlowsIdleLongestAreLetGo(boolean exact) {
        StoreMemory memory = new StoreMemory(2_000, WhenFull.EVICT);
        Report report = new Report().over(store(exact, memory));
        for (long flow = 1; flow <= 1_000; flow++) {
            report.follow(new Segment(flow, true, TcpFlags.ACK, flow * 100));
        }
        assertThat(report.counts.withoutRoom()).isZero();
        assertThat(report.counts.began()).isEqualTo(1_000);
        assertThat(report.tracker.store().machines()).isPositive();
        assertThat(report.counts.timedOut() + report.tracker.store().machines()).isEqualTo(1_000);
        assertThat(memory.usedBytes()).isLessThanOrEqualTo(2_000);
        assertThat(memory.refusals()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void withoutRoomTheJobFailsIfItIsToldTo(boolean exact) {
        StoreMemory memory = new StoreMemory(2_000, WhenFull.FAIL);
        Report report = new Report().over(store(exact, memory));
        assertThatThrownBy(
                        () -> {
                            for (long flow = 1; flow <= 1_000; flow++) {
                                report.follow(new Segment(flow, true, TcpFlags.ACK, 0));
                            }
                        })
                .isInstanceOf(FilterFullException.class)
                .hasMessageContaining("shorten the timeouts");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void goesOnWhereItWasWritten(boolean exact) throws IOException {
        List<Segment> segments = Traffic.of(Seeds.random(), 3_000, MILLIS);
        FlowTimeouts timeouts = timeouts(2);
        StateStore first =
                exact
                        ? new ExactStore(timeouts.states(), StoreMemory.unlimited())
                        : new GenerationalStore(
                                FILTERS, timeouts.states(), StoreMemory.unlimited(), 32);
        Report whole = new Report().over(first);
        Report parts = new Report();
        int half = segments.size() / 2;
        whole.follow(segments.subList(0, half), 100);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        first.writeTo(bytes);
        var in = new ByteArrayInputStream(bytes.toByteArray());
        StateStore second =
                exact
                        ? ExactStore.readFrom(
                                in, "test", timeouts.states(), StoreMemory.unlimited())
                        : GenerationalStore.readFrom(
                                in,
                                "test",
                                FILTERS,
                                timeouts.states(),
                                StoreMemory.unlimited(),
                                32);
        assertThat(in.available()).isZero();
        int before = whole.lines.size();
        whole.follow(segments.subList(half, segments.size()), 100);
        parts.over(second).follow(segments.subList(half, segments.size()), 100);
        assertThat(parts.lines)
                .containsExactlyInAnyOrderElementsOf(
                        whole.lines.subList(before, whole.lines.size()));
        for (int state = 0; state < FlowStates.COUNT; state++) {
            assertThat(second.machines(state)).isEqualTo(first.machines(state));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void otherTimeoutsMakeNoHeldFlowTimeOutEarlierThanTheShorterOfBoth(boolean exact)
            throws IOException {
        StoreMemory memory = StoreMemory.unlimited();
        StateStore first =
                exact
                        ? new ExactStore(timeouts(1).states(), memory)
                        : new GenerationalStore(FILTERS, timeouts(1).states(), memory, 32);
        Report report = new Report().over(first);
        for (long flow = 1; flow <= 50; flow++) {
            report.follow(new Segment(flow * 0x9E3779B97F4A7C15L, true, TcpFlags.ACK, flow * 500));
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        first.writeTo(bytes);
        FlowTimeouts longer =
                new FlowTimeouts(
                        Duration.ofSeconds(7), Duration.ofSeconds(17), Duration.ofSeconds(3), 4);
        var in = new ByteArrayInputStream(bytes.toByteArray());
        StateStore second =
                exact
                        ? ExactStore.readFrom(in, "test", longer.states(), memory)
                        : GenerationalStore.readFrom(
                                in, "test", FILTERS, longer.states(), memory, 32);
        Report restored = new Report().over(second);
        restored.tracker.advance(25_000 + 5_000);
        long held = second.machines();
        assertThat(held).isBetween(10L, 50L);
        restored.tracker.advance(25_000 + 17_000 * 2);
        assertThat(second.machines()).isZero();
    }
}
