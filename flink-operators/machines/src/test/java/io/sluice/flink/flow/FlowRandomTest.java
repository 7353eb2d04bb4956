/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static io.sluice.flink.flow.FlowFixture.segment;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.flow.FinishedFlow.Reason;
import io.sluice.flink.flow.Traffic.Segment;
import io.sluice.flink.machine.store.ExactStore;
import io.sluice.flink.machine.store.StateStore;
import io.sluice.flink.machine.store.StateTimes;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.StoreMemory;
import io.sluice.flink.machine.store.WhenFull;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.configuration.MemorySize;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Short random histories of the operator: packets, watermarks, failures, drains, rescaling. */
class FlowRandomTest {

    private static final long BEGIN = 1_700_000_000_000L;
    private static final long YEAR = Duration.ofDays(365).toMillis();
    private static final long WILD = 1_000;

    /** Hash of the first flow of another age; all others are below. */
    private static final long FIRST_OLD = Long.MAX_VALUE - 1_000;

    private static final int[] FLAGS = {
        TcpFlags.SYN,
        TcpFlags.SYN | TcpFlags.ACK,
        TcpFlags.ACK,
        TcpFlags.ACK,
        TcpFlags.FIN | TcpFlags.ACK,
        TcpFlags.RST
    };

    private static FlowTimeouts timeouts(SplittableRandom random) {
        return new FlowTimeouts(
                Duration.ofMillis(1 + random.nextInt(400)),
                Duration.ofMillis(1 + random.nextInt(3_000)),
                Duration.ofMillis(1 + random.nextInt(200)),
                1 + random.nextInt(4));
    }

    /** One history, compared with the model step by step. */
    private static final class History {
        private final SplittableRandom random;
        private final FlowFixture flows;
        private final FlowTimeouts timeouts;
        private final long maxFuture;
        private final ExactFlows model;
        private final ExactFlows saved;
        private final List<String> reports = new ArrayList<>();
        private List<String> savedReports = List.of();
        private long now = BEGIN;
        private long watermark = Long.MIN_VALUE;
        private long nextSweep = Long.MIN_VALUE;
        private boolean hasSnapshot;
        private int old;

        History(long seed, int keyGroups) {
            random = new SplittableRandom(seed);
            timeouts = timeouts(random);
            maxFuture = 1L + random.nextInt(5_000);
            flows = new FlowFixture(keyGroups);
            flows.timeouts = timeouts;
            flows.maxFuture = Duration.ofMillis(maxFuture);
            flows.totals = random.nextBoolean();
            model = new ExactFlows(timeouts, maxFuture, flows.totals);
            saved = new ExactFlows(timeouts, maxFuture, flows.totals);
        }

        private static long flowOf(String report) {
            return Long.parseLong(report.substring(0, report.indexOf(' ')));
        }

        private int parallelism() {
            return 1 + random.nextInt(Math.min(3, flows.keyGroups));
        }

        private void keep(List<FinishedFlow> finished) {
            finished.forEach(flow -> reports.add(ExactFlows.text(flow)));
        }

        private void packet() throws Exception {
            now += random.nextInt(40);
            long millis = now - random.nextInt(30);
            if (random.nextInt(60) == 0) {
                millis += (random.nextInt(80) + 1) * YEAR;
            }
            // Wild times are believed before the first watermark, or if that itself is wild; so
            // they have their own flows.
            long flow = millis > now ? 1_000 + random.nextInt(5) : random.nextInt(30);
            if (millis > now && (watermark == Long.MIN_VALUE || watermark > now)) {
                return;
            }
            Segment packet =
                    segment(
                            flow * 0x9E3779B97F4A7C15L,
                            random.nextBoolean(),
                            FLAGS[random.nextInt(FLAGS.length)],
                            millis);
            keep(flows.process(packet));
            model.packet(packet);
        }

        /** So long ago that the time is ambiguous: reported once, at some time. */
        private void packetOfAnotherAge() throws Exception {
            long[] ages = {Long.MIN_VALUE + 1, -StateTimes.MAX_MILLIS, -1, 0, BEGIN - 40 * YEAR};
            long flow = FIRST_OLD + old++;
            keep(
                    flows.process(
                            segment(flow, true, TcpFlags.SYN, ages[random.nextInt(ages.length)])));
        }

        private void watermark() throws Exception {
            watermark(now - random.nextInt(200));
        }

        private void watermark(long to) throws Exception {
            boolean sweeps = to > watermark && to >= nextSweep;
            if (to > watermark) {
                watermark = to;
            }
            if (sweeps) {
                nextSweep = timeouts.states().nextSliceEnd(to);
            }
            for (var harness : flows.stream.harnesses()) {
                harness.getOutput().clear();
                harness.processWatermark(to);
                assertThat(FlowFixture.behindWatermark(harness.getOutput())).isZero();
                keep(harness.extractOutputValues());
            }
            model.watermark(to, sweeps);
        }

        private void snapshot() throws Exception {
            flows.stream.snapshot();
            saved.copyFrom(model);
            savedReports = List.copyOf(reports);
            hasSnapshot = true;
        }

        private void failAndRescale() throws Exception {
            if (!hasSnapshot) {
                return;
            }
            flows.start(parallelism());
            model.copyFrom(saved);
            restarted();
            reports.clear();
            reports.addAll(savedReports);
        }

        private void restarted() {
            model.restart();
            watermark = Long.MIN_VALUE;
            nextSweep = Long.MIN_VALUE;
        }

        private void drainAndRestart() throws Exception {
            keep(flows.stream.advance(Long.MAX_VALUE));
            keep(flows.stream.endInput());
            model.end();
            snapshot();
            flows.start(parallelism());
            restarted();
        }

        private void compare(String when) {
            List<String> oldOnes =
                    reports.stream().filter(text -> flowOf(text) >= FIRST_OLD).toList();
            assertThat(oldOnes.stream().filter(text -> !text.contains("END_OF_INPUT")))
                    .as("each at most once")
                    .extracting(History::flowOf)
                    .doesNotHaveDuplicates();
            reports.removeAll(oldOnes);
            assertThat(reports).as(when).containsExactlyInAnyOrderElementsOf(model.reports);
        }

        void run(int steps) throws Exception {
            flows.start(parallelism());
            for (int step = 0; step < steps; step++) {
                switch (random.nextInt(40)) {
                    case 0 -> snapshot();
                    case 1 -> failAndRescale();
                    case 2 -> drainAndRestart();
                    case 3, 4, 5 -> watermark();
                    case 6 -> packetOfAnotherAge();
                    case 7 -> {
                        if (random.nextInt(4) == 0) {
                            watermark(now + (random.nextInt(80) + 1) * YEAR);
                        }
                    }
                    default -> packet();
                }
            }
            compare("before the end");
            // The watermark may have jumped.
            snapshot();
            flows.start(parallelism());
            restarted();
            now += 50_000;
            watermark();
            // A flow of another age may have been given the latest possible time.
            now += 50_000;
            watermark();
            compare("after all have timed out");
            assertThat(model.held()).isZero();
            assertThat(flows.stream.gaugeSum(FlowMetrics.FLOWS)).isZero();
            flows.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"50, 8", "100, 1", "1, 32768"})
    void withoutPressureEveryFlowIsReportedOnceAsAPlainMapHasIt(int histories, int keyGroups)
            throws Exception {
        for (int seed = 0; seed < histories; seed++) {
            try {
                new History(seed, keyGroups).run(150);
            } catch (AssertionError e) {
                throw new AssertionError("history " + seed, e);
            }
        }
    }

    /**
     * As above but without Flink, so that there are many; packets far ahead also come before
     * watermarks.
     */
    @Test
    void storesThatAreWrittenAndReadInBetweenReportWhatAPlainMapDoes() throws Exception {
        long reported = 0;
        for (int seed = 0; seed < 5_000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            FlowTimeouts timeouts = timeouts(random);
            long maxFuture = 1L + random.nextInt(5_000);
            ExactFlows model = new ExactFlows(timeouts, maxFuture, false);
            StoreHistory history = new StoreHistory(timeouts);
            long now = BEGIN;
            long watermark = Long.MIN_VALUE;
            for (int step = 0; step < 120; step++) {
                switch (random.nextInt(20)) {
                    case 0 -> {
                        history.writeAndRead();
                        model.restart();
                        watermark = Long.MIN_VALUE;
                    }
                    case 1, 2 -> {
                        watermark = Math.max(watermark, now - random.nextInt(200));
                        history.tracker.advance(watermark + 1, watermark + maxFuture);
                        model.watermark(watermark, true);
                    }
                    default -> {
                        now += random.nextInt(40);
                        boolean isWild = random.nextInt(25) == 0;
                        long millis = isWild ? now + (random.nextInt(80) + 1) * YEAR : now;
                        long latest =
                                watermark == Long.MIN_VALUE
                                        ? Long.MAX_VALUE
                                        : watermark + maxFuture;
                        Segment packet =
                                segment(
                                        isWild ? WILD : 1 + random.nextInt(30),
                                        random.nextBoolean(),
                                        FLAGS[random.nextInt(FLAGS.length)],
                                        Math.min(millis, latest));
                        history.follow(packet);
                        model.packet(packet);
                    }
                }
            }
            now += 50_000;
            history.tracker.advance(now, now + maxFuture);
            model.watermark(now - 1, true);
            history.tracker.advance(now + 50_000, now + 50_000 + maxFuture);
            model.reports.removeIf(report -> report.startsWith(WILD + " "));
            assertThat(history.reports)
                    .as("history %s", seed)
                    .containsExactlyInAnyOrderElementsOf(model.reports);
            assertThat(history.tracker.store().machines()).isZero();
            reported += history.reports.size();
        }
        assertThat(reported).isGreaterThan(100_000);
    }

    /** An exact store without an operator; nothing is kept of the wild flow. */
    private static final class StoreHistory {
        private final FlowTimeouts timeouts;
        private final List<String> reports = new ArrayList<>();
        private FlowTracker tracker;

        StoreHistory(FlowTimeouts timeouts) {
            this.timeouts = timeouts;
            over(new ExactStore(timeouts.states(), StoreMemory.unlimited()));
        }

        private void over(StateStore store) {
            tracker =
                    new FlowTracker(
                            new ConnectionMachine(true),
                            store,
                            new FlowCounts(),
                            (flow, state, millis, totals) ->
                                    keep(
                                            FinishedFlow.of(
                                                    flow, state, Reason.TIMED_OUT, millis, null)));
        }

        private void keep(FinishedFlow flow) {
            if (flow.flow() != WILD) {
                reports.add(ExactFlows.text(flow));
            }
        }

        void follow(Segment segment) {
            int transition =
                    tracker.follow(
                            segment.flow(), segment.fromLower(), segment.flags(), segment.millis());
            if (ConnectionMachine.ends(transition)) {
                ConnState end = ConnectionMachine.end(transition);
                keep(FinishedFlow.of(segment.flow(), end, Reason.ENDED, segment.millis(), null));
            }
        }

        void writeAndRead() throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            tracker.store().writeTo(bytes);
            var in = new ByteArrayInputStream(bytes.toByteArray());
            over(ExactStore.readFrom(in, "test", timeouts.states(), StoreMemory.unlimited()));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "EXACT, IGNORE",
        "EXACT, EVICT",
        "KBF, IGNORE",
        "KBF, EVICT",
    })
    void underPressureThePolicyHoldsAndEveryFlowIsAccountedFor(StoreKind store, WhenFull whenFull)
            throws Exception {
        for (int seed = 0; seed < 5; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            FlowFixture flows = new FlowFixture(1 + random.nextInt(64));
            flows.store = store;
            flows.whenFull = whenFull;
            flows.memory = MemorySize.ofMebiBytes(1);
            flows.totals = store == StoreKind.EXACT && seed % 2 == 1;
            flows.expected = 1L << random.nextInt(40);
            flows.timeouts = timeouts(random);
            flows.start(1);
            long now = BEGIN;
            for (int burst = 0; burst < 3; burst++) {
                int size = random.nextInt(40_000);
                for (int i = 0; i < size; i++) {
                    now += random.nextInt(50) == 0 ? 1 : 0;
                    long ahead = random.nextInt(2_000) == 0 ? 30 * YEAR : 0;
                    int flags = FLAGS[random.nextInt(FLAGS.length)];
                    boolean isFlood = random.nextInt(3) > 0;
                    flows.process(
                            segment(
                                    isFlood ? random.nextLong() : random.nextInt(1_000),
                                    random.nextBoolean(),
                                    isFlood ? TcpFlags.SYN : flags,
                                    now + ahead));
                    if (i % 5_000 == 0) {
                        flows.stream.advance(now - 100);
                    }
                }
                flows.stream.snapshot();
                flows.start(1);
            }
            flows.stream.advance(now);
            long began = flows.stream.gaugeSum(FlowMetrics.BEGAN);
            assertThat(began).isEqualTo(over(flows) + flows.stream.gaugeSum(FlowMetrics.OPEN));
            // After a calm while nothing is left of it, wherever the wild packets were.
            flows.stream.advance(now + Duration.ofHours(2).toMillis());
            assertThat(flows.stream.gaugeSum(FlowMetrics.FLOWS)).isZero();
            assertThat(over(flows)).isEqualTo(began);
            flows.close();
        }
    }

    /** Flows that ended or timed out. */
    private static long over(FlowFixture flows) throws Exception {
        long over = 0;
        for (ConnState state : ConnState.values()) {
            over += flows.stream.gaugeSum(FlowMetrics.ENDED + state);
            over += flows.stream.gaugeSum(FlowMetrics.TIMED_OUT + state);
        }
        return over;
    }
}
