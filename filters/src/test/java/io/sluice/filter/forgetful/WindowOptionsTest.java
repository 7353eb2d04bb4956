/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.plane.Layout;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Ranges of options, and what is taken if one is not given. */
class WindowOptionsTest {

    private static WindowOptions with(UnaryOperator<WindowOptions.Builder> option) {
        return option.apply(WindowOptions.builder().windowMillis(1_000)).build();
    }

    private static void refuses(UnaryOperator<WindowOptions.Builder> option, String message) {
        assertThatThrownBy(() -> with(option))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void theEndsOfTheRangesAreAccepted() {
        assertThat(with(of -> of.windowMillis(1)).windowMillis()).isEqualTo(1);
        assertThat(with(of -> of.falsePositiveProbability(1e-12)).fpp()).isEqualTo(1e-12);
        assertThat(with(of -> of.falsePositiveProbability(0.5)).fpp()).isEqualTo(0.5);
        assertThat(with(of -> of.expectedPerWindow(1)).expectedPerWindow()).isEqualTo(1);
        assertThat(with(of -> of.maxFutureMillis(0)).maxFutureMillis()).isZero();
        WindowOptions equal =
                with(of -> of.falsePositiveProbability(1e-3).maxFalsePositiveProbability(1e-3));
        assertThat(equal.maxFpp()).isEqualTo(1e-3);
    }

    @Test
    void whatLiesOutsideIsRefusedAndTheOptionNamed() {
        refuses(of -> of.windowMillis(0), "windowMillis must be at least 1, got 0");
        refuses(of -> of.falsePositiveProbability(0.9e-12), "fpp must be between");
        refuses(of -> of.falsePositiveProbability(0.51), "fpp must be between");
        refuses(of -> of.falsePositiveProbability(0), "fpp must be between");
        refuses(of -> of.falsePositiveProbability(1), "fpp must be between");
        refuses(of -> of.expectedPerWindow(0), "expectedPerWindow must be at least 1, got 0");
        refuses(of -> of.maxFutureMillis(-1), "maxFutureMillis must be at least 0, got -1");
        refuses(of -> of.maxFalsePositiveProbability(1), "maxFpp must be at least fpp");
        refuses(of -> of.maxFalsePositiveProbability(0.9e-4), "maxFpp must be at least fpp");
    }

    @Test
    void whatIsNotGivenFollowsFromTheRest() {
        WindowOptions options = with(of -> of);
        assertThat(options.fpp()).isEqualTo(1e-4);
        assertThat(options.maxFpp()).isEqualTo(1e-3);
        assertThat(options.expectedPerWindow()).isEqualTo(1_000);
        assertThat(options.overflow()).isEqualTo(OverflowPolicy.FORGET_OLDEST);
        assertThat(options.clockFollowsTimestamps()).isTrue();
        assertThat(options.maxFutureMillis()).as("an hour").isEqualTo(3_600_000);
        WindowOptions day = with(of -> of.window(Duration.ofDays(1)));
        assertThat(day.maxFutureMillis()).as("the window").isEqualTo(86_400_000);
        assertThat(with(of -> of.falsePositiveProbability(0.2)).maxFpp()).isEqualTo(0.5);
        assertThat(with(of -> of.layout(Layout.QUOTIENT)).layout()).isEqualTo(Layout.QUOTIENT);
        assertThat(with(of -> of.clockOfCaller()).clockFollowsTimestamps()).isFalse();
    }

    @Test
    void noTimeBeyondTheBoundIsBelievedAndNeverTheGreatestOfAll() {
        WindowOptions options = with(of -> of.maxFutureMillis(50));
        assertThat(options.latestTime(100)).isEqualTo(150);
        assertThat(options.latestTime(Long.MAX_VALUE - 10)).isEqualTo(Long.MAX_VALUE - 1);
        assertThat(options.latestTime(Long.MIN_VALUE)).as("unknown").isEqualTo(Long.MAX_VALUE - 1);
        WindowOptions all = with(of -> of.maxFutureMillis(Long.MAX_VALUE));
        assertThat(all.latestTime(5)).isEqualTo(Long.MAX_VALUE - 1);
    }
}
