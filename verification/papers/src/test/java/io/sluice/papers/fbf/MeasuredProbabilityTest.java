/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.hash.Hashing;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The formulas beside filters that were filled. */
class MeasuredProbabilityTest {

    @Test
    void measuredProbabilitiesAgree() {
        measure(2_000_000, 1);
    }

    @Test
    @Tag("long")
    void measuredProbabilitiesAgreeClosely() {
        measure(20_000_000, 10);
    }

    private static void measure(int queries, int filters) {
        for (SeenRule rule : SeenRule.values()) {
            check(
                    rule,
                    ForgetfulBloomFilter.builder().rule(rule).scattered(1 << 20, 7),
                    queries,
                    filters);
            check(
                    rule,
                    ForgetfulBloomFilter.builder().rule(rule).scattered(1 << 20, 12),
                    queries,
                    filters);
        }
        for (int perLine : new int[] {2, 4, 8}) {
            check(
                    SeenRule.SLICES,
                    ForgetfulBloomFilter.builder().blocked(1 << 20, 3, perLine),
                    queries,
                    filters);
        }
        check(
                SeenRule.SLICES,
                ForgetfulBloomFilter.builder().maxPastFilters(12).blocked(1 << 20, 3, 4),
                queries,
                filters);
    }

    private static void check(
            SeenRule rule, ForgetfulBloomFilterBuilder builder, int queries, int filters) {
        int past = rule == SeenRule.SIMPLE ? 1 : 4;
        for (int f = 0; f < filters; f++) {
            ForgetfulBloomFilter filter = builder.pastFilters(past).build();
            long id = (long) f << 32;
            long recorded = 0;
            for (int slice = 0; slice < past + 3; slice++) {
                if (slice > 0) {
                    filter.refresh();
                }
                for (int i = 0; i < 36_000 + 4_000 * slice; i++) {
                    recorded += filter.add(Hashing.hash(id++)) ? 1 : 0;
                }
            }
            double leftOut = 1 - (double) recorded / (id - ((long) f << 32));
            long hits = 0;
            for (int i = 0; i < queries; i++) {
                hits += filter.mightContain(Hashing.hash(-1L - i)) ? 1 : 0;
            }
            double predicted = filter.predictedFpp();
            double expected = predicted * queries;
            // Fillings differ: the share of bits that are set varies by about 1/2000, and the
            // probability is its k-th power.
            double filling = expected * filter.probes() / 2_000;
            double tolerance = 5 * Math.sqrt(expected + filling * filling);
            // Only ids that were not reported are recorded: the ones that set new bits. The model,
            // which knows only their number, is too low by at most as much as if the others had
            // been recorded too, and the probability grows at most as the k-th power of the ids.
            double favour = expected * filter.probes() * leftOut;
            assertThat((double) hits)
                    .as("%s %s k=%d", rule, filter.layout(), filter.probes())
                    .isBetween(expected - tolerance, expected + favour + tolerance);
            assertThat(filter.measuredFpp()).isCloseTo(predicted, Percentage.withPercentage(3));
        }
    }
}
