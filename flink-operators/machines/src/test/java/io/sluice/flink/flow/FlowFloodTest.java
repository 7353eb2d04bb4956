/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static io.sluice.flink.flow.FlowFixture.segment;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.flow.Traffic.Segment;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.WhenFull;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.configuration.MemorySize;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A flood of SYNs that the memory cannot hold, and honest connections during and after it. */
class FlowFloodTest {

    private static final long BEGIN = 1_000_000;
    private static final int HONEST = 1_000;
    private static final int PER_MILLI = 25;
    private static final long FLOOD_MILLIS = 8_000;
    private static final long AFTER = BEGIN + FLOOD_MILLIS;
    private static final long FIRST_OF_FLOOD = 1L << 40;

    private FlowFixture flows;

    @AfterEach
    void close() throws Exception {
        flows.close();
    }

    private static long mixed(long n) {
        return n * 0x9E3779B97F4A7C15L;
    }

    private static void honest(List<Segment> into, int first, long begin, long millis) {
        SplittableRandom random = new SplittableRandom(first);
        for (int i = 0; i < HONEST; i++) {
            long at = begin + random.nextLong(millis);
            into.addAll(Connection.of(mixed(first + i)).at(at).every(20).whole());
        }
    }

    private static List<Segment> flood() {
        List<Segment> segments = new ArrayList<>();
        honest(segments, 1, BEGIN, FLOOD_MILLIS - 200);
        honest(segments, 1 + HONEST, AFTER, FLOOD_MILLIS);
        for (long i = 0; i < FLOOD_MILLIS * PER_MILLI; i++) {
            segments.add(
                    segment(mixed(FIRST_OF_FLOOD + i), true, TcpFlags.SYN, BEGIN + i / PER_MILLI));
        }
        segments.sort(Comparator.comparingLong(Segment::millis));
        return segments;
    }

    private List<FinishedFlow> run(StoreKind store, int keyGroups) throws Exception {
        flows = new FlowFixture(keyGroups);
        flows.store = store;
        flows.memory = MemorySize.ofMebiBytes(1);
        flows.whenFull = WhenFull.EVICT;
        flows.start(1);
        return flows.run(flood(), 200, 1_000);
    }

    private static long whole(List<FinishedFlow> finished, long from, long to) {
        return finished.stream()
                .filter(flow -> flow.state().equals(ConnState.SF.name()))
                .filter(flow -> flow.millis() >= from && flow.millis() < to)
                .count();
    }

    @ParameterizedTest
    @CsvSource({"EXACT, 128", "EXACT, 1", "KBF, 128", "KBF, 1"})
    void honestConnectionsAreFollowedDuringAFloodAndAllOfThemAfterIt(StoreKind store, int groups)
            throws Exception {
        List<FinishedFlow> finished = run(store, groups);
        // The filter has its own error.
        long after = store == StoreKind.EXACT ? HONEST : HONEST * 998 / 1_000;
        long during = store == StoreKind.EXACT ? HONEST : HONEST * 80 / 100;
        assertThat(whole(finished, AFTER, Long.MAX_VALUE)).isGreaterThanOrEqualTo(after);
        assertThat(whole(finished, 0, AFTER)).isGreaterThanOrEqualTo(during);
        assertThat(flows.stream.gaugeSum(FlowMetrics.EVICTED)).isPositive();
        assertThat(flows.stream.gaugeSum(FlowMetrics.BYTES)).isLessThanOrEqualTo(1 << 20);
        // It recovers: after the flood has timed out, only the last ended flows are held.
        flows.stream.advance(AFTER + 200_000);
        assertThat(flows.stream.gaugeSum(FlowMetrics.FLOWS)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void underAFloodEveryAttemptIsCounted(StoreKind store) throws Exception {
        run(store, 128);
        long attempts = FLOOD_MILLIS * PER_MILLI + 2 * HONEST;
        // Many small filters take one new flow in a hundred for one that they hold.
        assertThat(flows.stream.gaugeSum(FlowMetrics.ATTEMPTS))
                .isBetween(store == StoreKind.EXACT ? attempts : attempts * 99 / 100, attempts);
    }
}
