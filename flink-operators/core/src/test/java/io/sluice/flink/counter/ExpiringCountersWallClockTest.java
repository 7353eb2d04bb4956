/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.TimeDomain;
import io.sluice.flink.dedup.DeduplicateMetrics;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Counters that expire in processing time, and a wall clock that is wrong. */
class ExpiringCountersWallClockTest extends ExpiringCountersFixture {

    private static final long DAY = Duration.ofDays(1).toMillis();

    private long steadyMillis;

    @BeforeEach
    void inProcessingTime() {
        timeDomain = TimeDomain.PROCESSING;
        steadyNanos = () -> steadyMillis * 1_000_000;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWallClockThatIsADayAheadForAMomentExpiresNothing(boolean filter) throws Exception {
        withFilter = filter;
        stream.processingTime(1000);
        stream.start(1, counters());
        click("a", 0);

        steadyMillis = 4000;
        stream.processingTime(5000 + DAY);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isZero();
        assertThat(click("a", 0)).as("not expired").isEqualTo(2);
        assertThat(timers()).isEqualTo(1);
        assertThat(stream.gaugeSum(DeduplicateMetrics.WALL_CLOCK_AHEAD_MILLIS))
                .isBetween(DAY, DAY + 10_000);

        steadyMillis = 14_001;
        stream.processingTime(15_001 + DAY);
        assertThat(stream.counter(ExpiringCounters.EXPIRED))
                .as("time goes on by the steady clock")
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void afterAWallClockThatWasADayAheadACounterEndsWhenItsTimeIsOver(boolean filter)
            throws Exception {
        withFilter = filter;
        stream.processingTime(1000);
        stream.start(1, counters());
        click("a", 0);
        click("b", 0);

        steadyMillis = 4000;
        stream.processingTime(5000 + DAY);
        steadyMillis = 9000;
        stream.processingTime(10_000);
        assertThat(click("b", 0)).as("touched in time").isEqualTo(2);

        steadyMillis = 10_001;
        stream.processingTime(11_001);
        assertThat(click("a", 0)).as("its timer is a day late").isEqualTo(1);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isEqualTo(1);
        assertThat(timers()).as("no counter has a second one").isEqualTo(2);
        assertThat(click("b", 0)).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWallClockThatIsSetAheadForGoodExpiresNothingEarly(boolean filter) throws Exception {
        long hour = 3_600_000;
        withFilter = filter;
        expireAfter = Duration.ofHours(3);
        stream.processingTime(DAY);
        stream.start(1, counters());
        click("a", 0);
        steadyMillis = 1000;
        stream.processingTime(2 * DAY + 1000);
        steadyMillis = 2 * hour;
        stream.processingTime(2 * DAY + 2 * hour);
        assertThat(click("a", 0)).isEqualTo(2);
        steadyMillis = 5 * hour + 1;
        stream.processingTime(2 * DAY + 5 * hour + 1);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWallClockThatIsADayBehindForAMomentExpiresNothingEarlyOrLate(boolean filter)
            throws Exception {
        withFilter = filter;
        stream.processingTime(2 * DAY);
        stream.start(1, counters());
        click("a", 0);

        steadyMillis = 4000;
        stream.processingTime(DAY + 4000);
        click("b", 0);
        steadyMillis = 5000;
        stream.processingTime(2 * DAY + 5000);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isZero();

        steadyMillis = 10_001;
        stream.processingTime(2 * DAY + 10_001);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isEqualTo(1);
        assertThat(click("a", 0)).isEqualTo(1);
        assertThat(click("b", 0)).as("touched while the clock was behind").isEqualTo(2);
    }

    /** Without firing anything. */
    private void setClock(long timestamp) {
        try {
            stream.harnesses().get(0).getProcessingTimeService().setCurrentTime(timestamp);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Flink fires what is due by the time of the timer, though the clock was set right since. */
    @Test
    void aTimerThatAWrongClockHasSetDoesNotFireAgainAndAgainWhenTheClockIsRight() throws Exception {
        boolean[] isSetRight = {false};
        int[] readings = {0};
        // Has no other timers, which would set the clock right before.
        withFilter = false;
        steadyNanos =
                () -> {
                    if (isSetRight[0]) {
                        assertThat(++readings[0]).as("readings of the clock").isLessThan(1000);
                        setClock(5000);
                    }
                    return steadyMillis * 1_000_000;
                };
        stream.processingTime(1000);
        stream.start(1, counters());
        click("a", 0);
        steadyMillis = 4000;
        isSetRight[0] = true;
        stream.processingTime(DAY);
        isSetRight[0] = false;

        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isZero();
        assertThat(timers()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anUpdateThatCameInTimeIsAddedThoughItIsEmittedLater(boolean inTime) throws Exception {
        emitMillis = 100_000_000;
        stream.processingTime(1000);
        stream.start(1, counters());
        stream.process(new Click("a", 1), 0);
        stream.snapshot();
        // Timers are a day late from here on.
        steadyMillis = 4000;
        stream.processingTime(5000 + DAY);
        steadyMillis = inTime ? 10_000 : 10_001;
        stream.processingTime(1000 + steadyMillis);
        stream.process(new Click("a", 2), 0);
        steadyMillis = 12_000;
        stream.processingTime(13_000);

        assertThat(stream.endInput())
                .extracting(CounterValue::value)
                .containsExactly(inTime ? 2L : 1L);
    }

    @Test
    void whereDowntimeCountsARestoreOnAMachineThatIsADayBehindKeepsNoCounterLonger()
            throws Exception {
        steadyNanos = null;
        forgetDuringDowntime = true;
        stream.processingTime(2 * DAY);
        stream.start(1, counters());
        click("a", 0);
        click("b", 0);
        stream.snapshot();
        stream.downUntil(DAY);
        stream.start(1, counters());

        stream.processingTime(DAY + 10_000);
        assertThat(click("b", 0)).isEqualTo(2);
        stream.processingTime(DAY + 10_001);
        assertThat(click("a", 0)).isEqualTo(1);
    }
}
