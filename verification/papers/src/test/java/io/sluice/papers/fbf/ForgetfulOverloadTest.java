/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a filter says about its own error against a count, up to ten times the ids it was made for.
 */
class ForgetfulOverloadTest {

    private static final int IDS = 5_000;
    private static final int PROBES = 60_000;

    static Stream<Arguments> filters() {
        List<Arguments> all = new ArrayList<>();
        for (int past : new int[] {1, 4, 12}) {
            for (SeenRule rule : SeenRule.values()) {
                all.add(Arguments.of(rule, Layout.SCATTERED, past));
            }
            all.add(Arguments.of(SeenRule.SLICES, Layout.BLOCKED, past));
        }
        return all.stream();
    }

    /** Within a tenth, plus what 60,000 probes leave uncertain. */
    @ParameterizedTest(name = "{0} {1} N={2}")
    @MethodSource("filters")
    void thePredictedProbabilityIsTheCountedOneAtAnyLoad(SeenRule rule, Layout layout, int past) {
        for (double load : new double[] {1.5, 2, 3, 4, 6, 10}) {
            ForgetfulBloomFilter filter =
                    ForgetfulBloomFilter.builder()
                            .pastFilters(past)
                            .rule(rule)
                            .layout(layout)
                            .sized(IDS, 0.03)
                            .build();
            long id = 0;
            for (int slice = 0; slice < past + 5; slice++) {
                for (int i = 0; i < IDS * load; i++) {
                    filter.add(Hashing.hash(id++));
                }
                if (slice < 3 || slice == past + 4) {
                    check(filter, load, slice);
                }
                filter.refresh();
            }
        }
    }

    private static void check(ForgetfulBloomFilter filter, double load, int slice) {
        int reported = 0;
        for (int i = 1; i <= PROBES; i++) {
            reported += filter.mightContain(Hashing.hash((long) -i)) ? 1 : 0;
        }
        double counted = (double) reported / PROBES;
        double error = Math.sqrt(Math.max(counted, 1.0 / PROBES) / PROBES);
        for (double said : new double[] {filter.predictedFpp(), filter.measuredFpp()}) {
            assertThat(said)
                    .as("load %s, slice %d", load, slice)
                    .isCloseTo(counted, within(0.1 * counted + 4.5 * error))
                    .isBetween(0.0, 1.0);
        }
    }
}
