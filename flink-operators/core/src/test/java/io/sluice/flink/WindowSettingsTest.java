/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.forgetful.OverflowPolicy;
import java.time.Duration;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class WindowSettingsTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final MemorySize MEMORY = MemorySize.ofMebiBytes(16);

    private static WindowSettings settings(
            Duration window, double fpp, long rate, MemorySize memory, TimeDomain domain) {
        return new WindowSettings(
                window,
                fpp,
                rate,
                memory,
                OverflowPolicy.FAIL,
                domain,
                false,
                0,
                null,
                false,
                null,
                null);
    }

    @Test
    void splitsTheRateOverKeyGroups() {
        WindowSettings settings = settings(HOUR, 1e-3, 1000, MEMORY, TimeDomain.EVENT);
        assertThat(settings.idsPerWindowAndKeyGroup(100)).isEqualTo(36_000);
        assertThat(settings.idsPerWindowAndKeyGroup(1 << 15)).isEqualTo(110);
        assertThat(
                        settings(Duration.ofMillis(1), 1e-3, 1, MEMORY, TimeDomain.EVENT)
                                .idsPerWindowAndKeyGroup(128))
                .isEqualTo(1);
    }

    @Test
    void everyMistakeNamesOptionBoundAndValue() {
        refused(Duration.ZERO, 1e-3, 1, MEMORY, "within", "1 ms", "0 ms");
        refused(Duration.ofDays(9999), 1e-3, 1, MEMORY, "within", "3653 d", "9999 d");
        refused(HOUR, 0, 1, MEMORY, "falsePositiveProbability", "1.0E-12", "0.0");
        refused(HOUR, 0.5, 1, MEMORY, "falsePositiveProbability", "0.25", "0.5");
        refused(HOUR, Double.NaN, 1, MEMORY, "falsePositiveProbability", "0.25", "NaN");
        refused(HOUR, 1e-3, 0, MEMORY, "expecting", "at least 1", "is 0");
        refused(HOUR, 1e-3, 1, new MemorySize(1000), "memory", "1", "1000 bytes");
    }

    @Test
    void aNumberOfMissedIdsPerDayIsAProbabilityAtTheExpectedRate() {
        Configuration options = new Configuration();
        options.set(WindowedOptions.EXPECTING, 10_000L);
        options.set(WindowedOptions.MAX_MISSED_PER_DAY, 86.4);
        WindowSettings settings = WindowSettings.of(options, HOUR);
        assertThat(settings.fpp()).isCloseTo(1e-7, Offset.offset(1e-20));
        // The number is kept under pressure too, unless another limit is set.
        assertThat(settings.maxFpp()).isEqualTo(settings.fpp());
        options.set(WindowedOptions.MAX_FALSE_POSITIVE_PROBABILITY, 1e-3);
        assertThat(WindowSettings.of(options, HOUR).maxFpp()).isEqualTo(1e-3);
        options.removeConfig(WindowedOptions.MAX_FALSE_POSITIVE_PROBABILITY);
        options.set(WindowedOptions.MAX_MISSED_PER_DAY, 1e12);
        assertThat(WindowSettings.of(options, HOUR).fpp()).isEqualTo(WindowSettings.MAX_FPP);
    }

    @Test
    void aNumberOfMissedIdsPerDayThatCannotBeIsRefused() {
        Configuration options = new Configuration();
        options.set(WindowedOptions.MAX_MISSED_PER_DAY, 10.0);
        refused(options, "maxMissedPerDay needs expecting");
        options.set(WindowedOptions.EXPECTING, 10_000L);
        for (double missed : new double[] {0, -1, 1e-5, Double.NaN, Double.POSITIVE_INFINITY}) {
            options.set(WindowedOptions.MAX_MISSED_PER_DAY, missed);
            refused(
                    options,
                    "maxMissedPerDay must be at least 8.64E-4 at this rate, but is " + missed);
        }
        options.set(WindowedOptions.FALSE_POSITIVE_PROBABILITY, 1e-6);
        options.set(WindowedOptions.MAX_MISSED_PER_DAY, 10.0);
        refused(options, "falsePositiveProbability and maxMissedPerDay exclude each other");
    }

    private static void refused(Configuration options, String message) {
        assertThatThrownBy(() -> WindowSettings.of(options, HOUR))
                .isInstanceOf(OptionException.class)
                .hasMessageContaining(message);
    }

    private static void refused(
            Duration window, double fpp, long rate, MemorySize memory, String... parts) {
        assertThatThrownBy(() -> settings(window, fpp, rate, memory, TimeDomain.EVENT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(parts);
    }

    private static WindowSettings withMaxFuture(TimeDomain domain, Duration maxFuture) {
        return new WindowSettings(
                HOUR,
                1e-3,
                1,
                MEMORY,
                OverflowPolicy.FAIL,
                domain,
                false,
                0,
                maxFuture,
                false,
                null,
                null);
    }

    @Test
    void theFutureBelongsToEventTimeAndIsNeitherNegativeNorEndless() {
        assertThatThrownBy(() -> withMaxFuture(TimeDomain.PROCESSING, HOUR))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("maxFuture", "EVENT");
        assertThatThrownBy(() -> withMaxFuture(TimeDomain.EVENT, HOUR.negated()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("maxFuture", "at least 0", "-1 h");
        assertThatThrownBy(() -> withMaxFuture(TimeDomain.EVENT, Duration.ofDays(9999)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("maxFuture", "3653 d", "9999 d");
    }

    @Test
    void theLatestTimeIsSoFarAheadOfAClockThatIsKnown() {
        WindowSettings bounded = withMaxFuture(TimeDomain.EVENT, HOUR);
        assertThat(bounded.latestTime(1000)).isEqualTo(3_601_000);
        assertThat(bounded.latestTime(Long.MAX_VALUE - 5)).isEqualTo(Long.MAX_VALUE);
        assertThat(bounded.latestTime(Long.MIN_VALUE)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void byDefaultAnHourOfTheFutureIsBelieved() {
        assertThat(settings(Duration.ofMillis(1), 1e-3, 1, MEMORY, TimeDomain.EVENT).latestTime(7))
                .isEqualTo(7 + HOUR.toMillis());
        assertThat(settings(HOUR.multipliedBy(3), 1e-3, 1, MEMORY, TimeDomain.EVENT).latestTime(7))
                .isEqualTo(7 + HOUR.toMillis());
        assertThat(withMaxFuture(TimeDomain.EVENT, Duration.ZERO).latestTime(7)).isEqualTo(7);
    }

    @Test
    void theClockThatCanBeSetBackIsThatOfEventTime() {
        assertThatThrownBy(
                        () ->
                                new WindowSettings(
                                        HOUR,
                                        1e-3,
                                        1,
                                        MEMORY,
                                        OverflowPolicy.FAIL,
                                        TimeDomain.PROCESSING,
                                        false,
                                        0,
                                        null,
                                        true,
                                        null,
                                        null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("resetClock", "EVENT");
    }

    @Test
    void downtimeBelongsToProcessingTime() {
        assertThatThrownBy(
                        () ->
                                new WindowSettings(
                                        HOUR,
                                        1e-3,
                                        1,
                                        MEMORY,
                                        OverflowPolicy.FAIL,
                                        TimeDomain.EVENT,
                                        true,
                                        0,
                                        null,
                                        false,
                                        null,
                                        null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("forgetDuringDowntime", "PROCESSING");
    }
}
