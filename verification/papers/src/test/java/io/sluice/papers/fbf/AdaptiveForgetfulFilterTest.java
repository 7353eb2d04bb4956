/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.papers.fbf.ForgetfulBloomFilter.Rule;
import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;

/** The rate goes up, down, up and down while the filter resizes itself. */
class AdaptiveForgetfulFilterTest {
    private static final long WINDOW = 20_000;
    private static final long SECOND = 1_000;
    private static final double TARGET = 0.002;

    /** A recorded id with its time. */
    private record Recorded(long id, long at) {}

    private static AdaptiveForgetfulFilter create(ResizePolicy policy, double target) {
        ForgetfulBloomFilter filter = new ForgetfulBloomFilter(6_250, 5, 1, Rule.CORRECTED);
        return new AdaptiveForgetfulFilter(filter, policy, 11 * SECOND, WINDOW, SECOND, target);
    }

    private static double rate(long millis) {
        double phase = (millis % 32_000) / 16_000.0;
        return 10 + 35 * (phase < 1 ? phase : 2 - phase);
    }

    /** The greatest predicted probability after two windows. */
    private static double run(ResizePolicy policy) {
        AdaptiveForgetfulFilter adaptive = create(policy, TARGET);
        ArrayDeque<Recorded> window = new ArrayDeque<>();
        double due = 0;
        long id = 0;
        double worst = 0;
        for (long now = 0; now < 200_000; now += 10) {
            adaptive.advanceTo(now);
            while (!window.isEmpty() && window.getFirst().at < now - WINDOW) {
                window.removeFirst();
            }
            for (due += rate(now) / 100; due >= 1; due--, id++) {
                if (adaptive.add(id)) {
                    window.addLast(new Recorded(id, now));
                }
            }
            if (now % 500 == 0) {
                assertThat(window).allMatch(recorded -> adaptive.mightContain(recorded.id));
            }
            worst = now > 2 * WINDOW ? Math.max(worst, adaptive.predictedFpp()) : 0;
        }
        assertThat(adaptive.filters()).isLessThanOrEqualTo(64);
        return worst;
    }

    @Test
    void neverForgetsInsideTheWindowAndOnlyThePlanStaysBelowTheTarget() {
        assertThat(run(ResizePolicy.Observation::unchanged)).isGreaterThan(TARGET);
        assertThat(run(ResizePolicy.paper(SECOND, SECOND, 61))).isPositive();
        assertThat(run(ResizePolicy.planned(SECOND, 61))).isLessThan(TARGET);
    }

    /** Seconds above the target among the last 80, at a constant rate. */
    private static int secondsAbove(double target, int perSecond) {
        AdaptiveForgetfulFilter adaptive = create(ResizePolicy.planned(SECOND, 61), target);
        int above = 0;
        long id = 0;
        for (int second = 1; second <= 140; second++) {
            for (int i = 0; i < perSecond; i++) {
                adaptive.add(id++);
            }
            adaptive.advanceTo(second * SECOND);
            above += second > 60 && adaptive.predictedFpp() > target ? 1 : 0;
        }
        return above;
    }

    @Test
    void aPlanForPairsComputesWithPairs() {
        assertThat(secondsAbove(0.0005, 20)).isZero();
        assertThat(secondsAbove(0.002, 45)).isZero();
    }

    @Test
    void anIdIsHeldForTheWindowAndGoneTwoRefreshPeriodsAfterIt() {
        AdaptiveForgetfulFilter adaptive =
                new AdaptiveForgetfulFilter(
                        new ForgetfulBloomFilter(6_250, 5, 1, Rule.CORRECTED),
                        ResizePolicy.Observation::unchanged,
                        500,
                        1_000,
                        100,
                        TARGET);
        adaptive.advanceTo(100);
        adaptive.add(1);
        long gone = 100;
        for (; adaptive.mightContain(1) && gone < 10_000; gone++) {
            adaptive.advanceTo(gone);
        }
        assertThat(gone).isBetween(1_100L, 100L + 1_000 + 2 * 500 + 1);
    }

    @Test
    void refusesFiltersThatDoNotCoverTheWindow() {
        ForgetfulBloomFilter filter = new ForgetfulBloomFilter(6_250, 5, 1, Rule.CORRECTED);
        assertThatThrownBy(
                        () ->
                                new AdaptiveForgetfulFilter(
                                        filter,
                                        ResizePolicy.Observation::unchanged,
                                        9_999,
                                        WINDOW,
                                        1,
                                        0.1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("(N + 1) t must not be shorter");
    }
}
