/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.filter.Seeds;
import io.sluice.filter.forgetful.ForgetfulBloomFilter;
import io.sluice.filter.forgetful.ForgetfulBloomFilterBuilder;
import io.sluice.filter.forgetful.SeenRule;
import io.sluice.filter.hash.Hashing;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class FalsePositiveModelTest {

    private static final Percentage ONE_PERCENT = Percentage.withPercentage(1);

    @Test
    void oneFilterIsTheTextbookFormula() {
        assertThat(FalsePositiveModel.bloom(150, 6250, 5)).isCloseTo(1.85e-5, within(2e-6));
        assertThat(FalsePositiveModel.bloom(0, 6250, 5)).isZero();
        assertThat(FalsePositiveModel.bloom(1e9, 6250, 5)).isCloseTo(1, within(1e-9));
    }

    /** Closed forms and an independent simulation at 300 ids in two slices, m = 6250, k = 5. */
    @Test
    void agreesWithTheKnownTransient() {
        double[] slices = {150, 150, 0};
        assertThat(FalsePositiveModel.simple(slices, 6250, 5)).isCloseTo(4.42e-4, ONE_PERCENT);
        double pairs = FalsePositiveModel.neighbourPairs(slices, 6250, 5);
        assertThat(1 - pairs / 4.42e-4).isBetween(0.90, 0.93);
    }

    /** At 30 ids/s, t = 5 s: 3, 6, 12 and 24 filters, by an independent simulation. */
    @Test
    void moreFiltersRaiseTheProbabilityAtAConstantRate() {
        double previous = 0;
        for (int filters : new int[] {3, 6, 12, 24}) {
            double[] slices = new double[filters];
            Arrays.fill(slices, 150);
            slices[0] = 75;
            double p = FalsePositiveModel.neighbourPairs(slices, 6250, 5);
            assertThat(p).isBetween(4e-4, 1.2e-3).isGreaterThan(previous);
            previous = p;
        }
    }

    @Test
    void slicesAreNeverWorseThanPairs() {
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < 10_000; i++) {
            double[] slices = new double[random.nextInt(2, 30)];
            for (int j = 0; j < slices.length; j++) {
                slices[j] = random.nextInt(4) == 0 ? 0 : random.nextInt(2_000);
            }
            int k = random.nextInt(1, 20);
            double m = random.nextInt(100, 100_000);
            assertThat(FalsePositiveModel.slices(slices, m, k))
                    .isLessThanOrEqualTo(
                            FalsePositiveModel.neighbourPairs(slices, m, k) * (1 + 1e-9) + 1e-15);
        }
    }

    @Test
    void aPairIsTheSharedSliceOrBothOthers() {
        double m = 1000;
        double b = FalsePositiveModel.fill(50, m, 3);
        double a = FalsePositiveModel.fill(70, m, 3);
        double c = FalsePositiveModel.fill(90, m, 3);
        assertThat(FalsePositiveModel.pair(70, 50, 90, m, 3))
                .isCloseTo(Math.pow(b + (1 - b) * a * c, 3), within(1e-12));
    }

    @Test
    void aBlockedPlaneWithManyIdsIsFull() {
        assertThat(FalsePositiveModel.blocked(1e9, 6400, 64, 2, 4)).isEqualTo(1);
        assertThat(FalsePositiveModel.blocked(0, 6400, 64, 2, 4)).isZero();
    }

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
