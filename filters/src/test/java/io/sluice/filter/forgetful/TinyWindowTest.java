/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Filters for a few ids, whose arrays are a cache line or two. */
class TinyWindowTest {

    private static final long WINDOW_MILLIS = 1_000;

    /** What would be rarer than this by chance counts as a fault. */
    private static final double CHANCE = 1e-9;

    private static final int PROBES = 8;

    private long nextId;
    private long nextProbe = 1L << 40;

    @Tag("thorough")
    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void noTinyFilterExceedsMaxFppAtAnyCap(Layout layout) {
        for (double fpp = 0.1; fpp > 0.9e-6; fpp /= 10) {
            for (int expected = 1; expected <= 50; expected++) {
                keepsMaxFpp(layout, fpp, expected);
            }
        }
    }

    private void keepsMaxFpp(Layout layout, double fpp, int expected) {
        WindowOptions options =
                WindowOptions.builder()
                        .windowMillis(WINDOW_MILLIS)
                        .falsePositiveProbability(fpp)
                        .expectedPerWindow(expected)
                        .layout(layout)
                        .clockOfCaller()
                        .build();
        long least = ForgetfulFilter.leastBytes(options);
        long probes = 0;
        long positives = 0;
        for (long bytes : new long[] {least, least + 64, 2 * least, 5 * least}) {
            for (double rate : new double[] {1, 5}) {
                ForgetfulFilter filter =
                        ForgetfulFilter.create(options, new MemoryBudget(bytes), 0, 0);
                double predicted = 0;
                int predictions = 0;
                int ids = (int) (4 * rate * expected) + 20;
                for (int i = 0; i < ids; i++) {
                    filter.advanceTo((long) (i * WINDOW_MILLIS / (rate * expected)));
                    filter.add(Hashing.hash(nextId++), filter.clock());
                    if (i % 4 == 0) {
                        predicted += filter.predictedFpp();
                        predictions++;
                    }
                    for (int j = 0; j < PROBES; j++) {
                        positives +=
                                filter.mightContain(Hashing.hash(nextProbe++), filter.clock())
                                        ? 1
                                        : 0;
                    }
                }
                probes += (long) PROBES * ids;
                assertThat(predicted / predictions)
                        .as("%s, p = %s, %d ids, %d bytes", layout, fpp, expected, bytes)
                        .isLessThanOrEqualTo(options.maxFpp());
            }
        }
        assertThat(chanceOfAtLeast(positives, probes, options.maxFpp()))
                .as("%s, p = %s: %d of %d, made for %d", layout, fpp, positives, probes, expected)
                .isGreaterThan(CHANCE);
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void theProbabilityOfATinyFilterIsPredictedBelowAtAndOverCapacity(Layout layout) {
        for (double fpp : new double[] {0.1, 1e-2}) {
            for (int expected : new int[] {60, 105, 300, 1_000}) {
                for (int rate : new int[] {1, 4}) {
                    isPredicted(layout, fpp, expected, rate);
                }
            }
        }
    }

    private void isPredicted(Layout layout, double fpp, int expected, int rate) {
        WindowOptions options =
                WindowOptions.builder()
                        .windowMillis(WINDOW_MILLIS)
                        .falsePositiveProbability(fpp)
                        .expectedPerWindow(expected)
                        .layout(layout)
                        .clockOfCaller()
                        .build();
        MemoryBudget budget = new MemoryBudget(ForgetfulFilter.expectedBytes(options));
        ForgetfulFilter filter = ForgetfulFilter.create(options, budget, 0);
        long positives = 0;
        double predicted = 0;
        int ids = Math.max(20 * expected, 10_000);
        for (int i = 0; i < ids; i++) {
            filter.advanceTo(WINDOW_MILLIS * i / ((long) rate * expected));
            filter.add(Hashing.hash(nextId++), filter.clock());
            if (i > 4 * expected && i % 4 == 0) {
                predicted += 32 * filter.predictedFpp();
                for (int j = 0; j < 32; j++) {
                    positives +=
                            filter.mightContain(Hashing.hash(nextProbe++), filter.clock()) ? 1 : 0;
                }
            }
        }
        assertThat((double) positives)
                .as("%s, p = %s, %d ids at %d times the rate", layout, fpp, expected, rate)
                .isCloseTo(predicted, within(5 * Math.sqrt(predicted + 1) + 0.1 * predicted));
    }

    @Test
    void theBoundIsTheBinomialOne() {
        assertThat(chanceOfAtLeast(0, 10, 0.5)).isGreaterThan(0.999999);
        assertThat(chanceOfAtLeast(10, 10, 0.5)).isBetween(0.000976, 0.000977);
        assertThat(chanceOfAtLeast(6, 10, 0.5)).isBetween(0.3769, 0.3770);
    }

    /** Exact: of {@code n} trials at least {@code k} succeed, each with probability {@code p}. */
    private static double chanceOfAtLeast(long k, long n, double p) {
        double odds = Math.log(p) - Math.log1p(-p);
        double term = n * Math.log1p(-p);
        double sum = 0;
        for (long i = 0; i <= n; i++) {
            sum += i >= k ? Math.exp(term) : 0;
            term += i < n ? Math.log((double) (n - i) / (i + 1)) + odds : 0;
        }
        return Math.min(1, sum);
    }
}
