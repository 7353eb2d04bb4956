/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.hash.Hashing;
import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;

/** The paper's figure 13: the rate goes up, down, up and down while the filter resizes itself. */
class AdaptiveForgetfulFilterTest {

    private static final long WINDOW = 20_000;
    private static final long SECOND = 1_000;
    private static final double TARGET = 0.002;

    /** A recorded id with its time. */
    private record Recorded(long id, long at) {}

    /** The greatest predicted probability, and the greatest number of filters. */
    private record Outcome(double worst, int mostFilters) {}

    private static double rate(long millis) {
        double phase = (millis % 32_000) / 16_000.0;
        return 10 + 35 * (phase < 1 ? phase : 2 - phase);
    }

    private static Outcome run(ResizePolicy policy, SeenRule rule) {
        ForgetfulBloomFilter filter =
                ForgetfulBloomFilter.builder()
                        .pastFilters(1)
                        .maxPastFilters(61)
                        .rule(rule)
                        .scattered(6_250, 5)
                        .build();
        AdaptiveForgetfulFilter adaptive =
                new AdaptiveForgetfulFilter(filter, policy, 11 * SECOND, WINDOW, SECOND, TARGET, 0);
        ArrayDeque<Recorded> window = new ArrayDeque<>();
        double due = 0;
        long id = 0;
        double worst = 0;
        int most = 0;
        for (long now = 0; now < 200_000; now += 10) {
            adaptive.advanceTo(now);
            while (!window.isEmpty() && window.getFirst().at < now - WINDOW) {
                window.removeFirst();
            }
            for (due += rate(now) / 100; due >= 1; due--, id++) {
                if (adaptive.add(Hashing.hash(id))) {
                    window.addLast(new Recorded(id, now));
                }
            }
            if (now % 500 == 0) {
                assertThat(window)
                        .allMatch(recorded -> adaptive.mightContain(Hashing.hash(recorded.id)));
            }
            worst = now > 2 * WINDOW ? Math.max(worst, adaptive.predictedFpp()) : 0;
            most = Math.max(most, adaptive.filters());
        }
        return new Outcome(worst, most);
    }

    @Test
    void neverForgetsInsideTheWindowUnderAnyPolicy() {
        for (SeenRule rule : new SeenRule[] {SeenRule.SLICES, SeenRule.NEIGHBOUR_PAIRS}) {
            run(ResizePolicy.fixed(), rule);
            run(ResizePolicy.paper(SECOND, SECOND, 1), rule);
            run(ResizePolicy.planned(SECOND), rule);
        }
    }

    @Test
    void thePlannedPolicyStaysBelowTheTargetThatAFixedOneMisses() {
        Outcome fixed = run(ResizePolicy.fixed(), SeenRule.SLICES);
        Outcome planned = run(ResizePolicy.planned(SECOND), SeenRule.SLICES);
        assertThat(fixed.worst).isGreaterThan(TARGET);
        assertThat(planned.worst).isLessThan(TARGET);
    }

    @Test
    void thePaperPolicyDoesNotRunAway() {
        Outcome paper = run(ResizePolicy.paper(SECOND, SECOND, 1), SeenRule.NEIGHBOUR_PAIRS);
        assertThat(paper.mostFilters).isLessThanOrEqualTo(63);
    }

    @Test
    void aJumpOfTheClockHoweverLongTakesNoMoreStepsThanThereArePlanes() {
        for (ResizePolicy policy :
                new ResizePolicy[] {
                    ResizePolicy.fixed(), ResizePolicy.paper(1, 1, 1), ResizePolicy.planned(1)
                }) {
            int[] decisions = {0};
            ResizePolicy counting =
                    now -> {
                        if (++decisions[0] > 10_000) {
                            throw new AssertionError("asked again and again");
                        }
                        return policy.decide(now);
                    };
            ForgetfulBloomFilter filter =
                    ForgetfulBloomFilter.builder()
                            .pastFilters(1)
                            .maxPastFilters(13)
                            .scattered(6_250, 5)
                            .build();
            AdaptiveForgetfulFilter adaptive =
                    new AdaptiveForgetfulFilter(filter, counting, WINDOW, WINDOW, 1, TARGET, 0);
            for (long id = 0; id < 100; id++) {
                adaptive.add(Hashing.hash(id));
                adaptive.advanceTo(id);
            }
            decisions[0] = 0;
            adaptive.advanceTo(Long.MAX_VALUE);
            assertThat(adaptive.clock()).isGreaterThanOrEqualTo(1L << 60);
            assertThat(adaptive.filters()).isLessThanOrEqualTo(15);
            adaptive.advanceTo(Long.MAX_VALUE);
            for (long id = 0; id < 100; id++) {
                assertThat(adaptive.add(Hashing.hash(1_000 + id))).isTrue();
                assertThat(adaptive.mightContain(Hashing.hash(1_000 + id))).isTrue();
            }
        }
    }

    @Test
    void anIdIsHeldForTheWindowAndGoneTwoRefreshPeriodsAfterIt() {
        ForgetfulBloomFilter filter =
                ForgetfulBloomFilter.builder()
                        .rule(SeenRule.SLICES)
                        .pastFilters(1)
                        .maxPastFilters(13)
                        .scattered(6_250, 5)
                        .build();
        AdaptiveForgetfulFilter adaptive =
                new AdaptiveForgetfulFilter(
                        filter, ResizePolicy.fixed(), 500, 1_000, 100, TARGET, 0);
        assertThat(adaptive.refreshMillis()).isEqualTo(500);
        assertThat(adaptive.pastFilters()).isEqualTo(1);
        adaptive.advanceTo(100);
        long hash = Hashing.hash(1);
        assertThat(adaptive.mightContain(hash)).isFalse();
        adaptive.add(hash);

        long gone = 100;
        for (; adaptive.mightContain(hash) && gone < 10_000; gone++) {
            adaptive.advanceTo(gone);
        }

        assertThat(gone).isBetween(1_100L, 100L + 1_000 + 2 * 500 + 1);
        assertThat(adaptive.filters())
                .as("the one that fills, and those that ended within the window")
                .isEqualTo(4);
    }

    @Test
    void refusesFiltersThatDoNotCoverTheWindow() {
        ForgetfulBloomFilter filter = ForgetfulBloomFilter.builder().scattered(6_250, 5).build();
        assertThatThrownBy(
                        () ->
                                new AdaptiveForgetfulFilter(
                                        filter, ResizePolicy.fixed(), 9_999, WINDOW, 1, 0.1, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("(N + 1) t must not be shorter");
    }
}
