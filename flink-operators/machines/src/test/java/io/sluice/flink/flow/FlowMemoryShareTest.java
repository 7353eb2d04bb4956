/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.flow.Traffic.Segment;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.StoreSizing;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The memory that all key groups share. */
class FlowMemoryShareTest {

    /** Whole connections that begin in the given time. */
    private static List<Segment> connections(int count, long millis) {
        SplittableRandom random = new SplittableRandom(5);
        List<Segment> segments = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            segments.addAll(
                    Connection.of(random.nextLong())
                            .at(1_000_000 + random.nextLong(millis))
                            .every(100)
                            .whole());
        }
        segments.sort(Comparator.comparingLong(Segment::millis));
        return segments;
    }

    private static long whole(
            StoreKind store, long expected, int mebi, int keyGroups, List<Segment> segments)
            throws Exception {
        FlowFixture flows = new FlowFixture(keyGroups);
        try {
            flows.store = store;
            flows.expected = expected;
            flows.memory = MemorySize.ofMebiBytes(mebi);
            flows.start(1);
            long whole =
                    flows.run(segments, 200, 1_000).stream()
                            .filter(flow -> flow.state().equals(ConnState.SF.name()))
                            .count();
            assertThat(flows.stream.gaugeSum(FlowMetrics.BYTES)).isLessThan((long) mebi << 20);
            return whole;
        } finally {
            flows.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"100000000, 256, 128", "1000000000, 256, 128", "1000000000, 256, 1"})
    void anyExpectationWorksInAnyMemoryForAllKeyGroups(long expected, int mebi, int keyGroups)
            throws Exception {
        List<Segment> segments = connections(2_000, 60_000);
        assertThat(whole(StoreKind.KBF, expected, mebi, keyGroups, segments))
                .isGreaterThanOrEqualTo(1_998);
    }

    @Test
    void theDefaultsInTwoMebibytesFollowWhatTheExactStoreFollows() throws Exception {
        List<Segment> segments = connections(50_000, 120_000);
        assertThat(whole(StoreKind.EXACT, 100_000, 2, 128, segments)).isEqualTo(50_000);
        assertThat(whole(StoreKind.KBF, 100_000, 2, 128, segments)).isGreaterThan(49_900);
    }

    @Test
    void aFlowFindsAPlaceInEachOf32768KeyGroups() throws Exception {
        List<Segment> segments = connections(5_000, 60_000);
        for (StoreKind store : StoreKind.values()) {
            assertThat(whole(store, 100_000, 64, 32_768, segments))
                    .as("%s", store)
                    .isGreaterThanOrEqualTo(4_995);
        }
    }

    @Test
    void whatDoesNotFitIsToldWithTheNeedAndWhatFits() {
        FlowSettings settings =
                FlowSettings.of(
                        new Configuration()
                                .set(FlowOptions.STORE, StoreKind.KBF)
                                .set(FlowOptions.EXPECTING, 100_000_000L));
        StoreSizing sizing = new StoreSizing(settings.stores(), 1, 128);
        assertThat(sizing.warning("'flows'"))
                .hasValueSatisfying(
                        text ->
                                assertThat(text)
                                        .contains("Operator 'flows'")
                                        .contains("100,000,000 flows")
                                        .contains("2,289 MiB")
                                        .contains("memory is 256")
                                        .contains("flows fit")
                                        .contains("whenFull, which is IGNORE"));
        assertThat(sizing.machinesThatFit()).isBetween(10_700_000L, 10_900_000L);
        FlowSettings withTotals =
                FlowSettings.of(
                        new Configuration()
                                .set(FlowOptions.TOTALS, true)
                                .set(FlowOptions.EXPECTING, 4_000_000L));
        assertThat(new StoreSizing(withTotals.stores(), 1, 128).warning("'flows'"))
                .hasValueSatisfying(
                        text ->
                                assertThat(text)
                                        .contains("memory is 256", "of which 64 MiB are for them"));
        FlowSettings sliced =
                FlowSettings.of(
                        new Configuration()
                                .set(FlowOptions.STORE, StoreKind.KBF)
                                .set(FlowOptions.SLICES, 16));
        // 17 filters instead of 2.
        assertThat(new StoreSizing(sliced.stores(), 1, 128).machinesThatFit())
                .isBetween(1_250_000L, 1_290_000L);
        assertThat(new StoreSizing(settings.stores(), 32, 128).warning("'flows'")).isEmpty();
        FlowSettings small =
                FlowSettings.of(
                        new Configuration()
                                .set(FlowOptions.EXPECTING, 1L)
                                .set(FlowOptions.MEMORY, MemorySize.ofMebiBytes(1)));
        assertThat(new StoreSizing(small.stores(), 1, 128).warning("'flows'")).isEmpty();
        assertThat(new StoreSizing(small.stores(), 1, 32_768).warning("'flows'"))
                .hasValueSatisfying(text -> assertThat(text).contains("Not even the smallest"));
    }
}
