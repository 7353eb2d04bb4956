/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The promised probability holds while arrays are chained: each adds its own to the sum. */
class ForgetfulFilterErrorTest {

    private static final long WINDOW_MILLIS = 10_000;
    private static final int PROBES = 200_000;

    @ParameterizedTest
    @CsvSource({
        // expected per window, ids per ms at the beginning, factor per window
        "1000, 5, 1.0",
        "1000, 1, 2.0",
        "50000, 5, 1.0",
        "50000, 40, 0.5",
        "1000, 30, 1.3",
    })
    void neverExceedsWhatWasAskedWhileItGrows(long expected, double perMilli, double factor) {
        double fpp = 1e-3;
        WindowOptions options =
                WindowOptions.builder()
                        .windowMillis(WINDOW_MILLIS)
                        .falsePositiveProbability(fpp)
                        .expectedPerWindow(expected)
                        .build();
        MemoryBudget budget = new MemoryBudget(1L << 30);
        ForgetfulFilter filter = ForgetfulFilter.create(options, budget, 0);
        long id = 0;
        double credit = 0;
        long falsePositives = 0;
        long probes = 0;
        for (long now = 0; now < 4 * WINDOW_MILLIS; now++) {
            filter.advanceTo(now);
            credit += perMilli * Math.pow(factor, (double) now / WINDOW_MILLIS);
            for (; credit >= 1; credit--) {
                filter.add(Hashing.hash(id++), now);
            }
            if (now % 500 == 499) {
                assertThat(filter.predictedFpp())
                        .as("predicted at %d ms with %d arrays", now, filter.segments().size())
                        .isLessThanOrEqualTo(fpp);
                for (int i = 0; i < PROBES / 80; i++) {
                    falsePositives += filter.mightContain(Hashing.hash(-1 - probes), now) ? 1 : 0;
                    probes++;
                }
            }
        }
        assertThat(filter.overflows()).isZero();
        double expectedAtMost = probes * fpp;
        assertThat((double) falsePositives)
                .isLessThanOrEqualTo(expectedAtMost + 5 * Math.sqrt(expectedAtMost));
    }

    /** Like a job that starts and catches up: a window's ids in a hundredth of the window. */
    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void aBacklogStarvesNoFilterOfTheSameBudget(Layout layout) {
        int filters = 32;
        int idsPerFilter = 20_000;
        WindowOptions options =
                WindowOptions.builder()
                        .windowMillis(600_000)
                        .falsePositiveProbability(1e-4)
                        .expectedPerWindow(idsPerFilter)
                        .layout(layout)
                        .clockOfCaller()
                        .build();
        // Twice what the filters need when each takes what was expected.
        MemoryBudget budget = new MemoryBudget(2L * filters * idsPerFilter * 6, filters);
        ForgetfulFilter[] all = new ForgetfulFilter[filters];
        for (int i = 0; i < filters; i++) {
            all[i] = ForgetfulFilter.create(options, budget, Long.MIN_VALUE);
        }
        long lost = 0;
        long ids = (long) filters * idsPerFilter;
        for (long id = 0; id < ids; id++) {
            ForgetfulFilter filter = all[(int) (id % filters)];
            filter.advanceTo(id * 6_000 / ids);
            lost += filter.add(Hashing.hash(id), filter.clock()) ? 0 : 1;
        }
        for (ForgetfulFilter filter : all) {
            assertThat(filter.overflows()).isZero();
        }
        double expected = ids * options.fpp();
        assertThat((double) lost).isLessThan(expected + 5 * Math.sqrt(expected));
    }
}
