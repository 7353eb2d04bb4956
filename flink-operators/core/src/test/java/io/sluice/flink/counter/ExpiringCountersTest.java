/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.Backends;
import io.sluice.flink.TimeDomain;
import java.time.Duration;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Totals that are no longer touched, in both time domains and across restores. */
class ExpiringCountersTest extends ExpiringCountersFixture {

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCounterThatNobodyTouchesIsForgottenAndComesBackAtZero(boolean filter) throws Exception {
        withFilter = filter;
        stream.start(2, counters());
        stream.watermark(0);
        assertThat(click("a", 1000)).isEqualTo(1);
        assertThat(click("a", 2000)).isEqualTo(2);
        assertThat(click("b", 5000)).isEqualTo(1);

        stream.watermark(12_000);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isZero();
        stream.watermark(12_001);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isEqualTo(1);

        assertThat(click("a", 12_500)).isEqualTo(1);
        assertThat(click("b", 12_500)).isEqualTo(2);
        stream.watermark(22_500);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isEqualTo(1);
        stream.watermark(22_501);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isEqualTo(3);
        assertThat(timers()).isZero();
    }

    @Test
    void withoutExpiryACounterIsKeptForEverAndHasNoTimer() throws Exception {
        expireAfter = null;
        stream.start(1, counters());
        click("a", 1000);
        assertThat(timers()).isZero();
        stream.watermark(Long.MAX_VALUE - 1);
        assertThat(click("a", Long.MAX_VALUE - 1)).isEqualTo(2);
    }

    @Test
    void aCounterThatIsTouchedAgainAndAgainStaysWithOneTimer() throws Exception {
        stream.start(1, counters());
        stream.watermark(0);
        for (int i = 1; i <= 50; i++) {
            assertThat(click("a", 3000L * i)).isEqualTo(i);
            stream.watermark(3000L * i);
            assertThat(timers()).isEqualTo(1);
        }
    }

    @Test
    void aRetryOfAnExpiredCountersOperationDoesNotBringItBack() throws Exception {
        expireAfter = Duration.ofSeconds(1);
        stream.start(1, counters());
        stream.watermark(0);
        Click first = new Click("a", 77);
        assertThat(stream.process(first, 1000)).hasSize(1);
        stream.watermark(2500);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isEqualTo(1);

        assertThat(stream.process(first, 3000)).isEmpty();

        assertThat(timers()).isZero();
        assertThat(click("a", 3000)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theEndOfTheInputExpiresNothing(boolean filter) throws Exception {
        withFilter = filter;
        stream.start(2, counters());
        stream.watermark(0);
        click("a", 1000);
        stream.watermark(MAX_WATERMARK);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isZero();

        restart(1);
        stream.watermark(2000);
        assertThat(click("a", 2000)).isEqualTo(2);
        stream.watermark(12_001);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isEqualTo(1);
    }

    @Test
    void aCounterOfBeforeTheFirstWatermarkBeginsItsTimeWithIt() throws Exception {
        stream.start(1, counters());
        click("a", 1000);
        stream.watermark(50_000);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isZero();
        stream.watermark(60_000);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isZero();
        stream.watermark(60_001);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isEqualTo(1);
    }

    @Test
    void aWildTimestampDoesNotKeepACounterForEver() throws Exception {
        stream.start(1, counters());
        stream.watermark(1000);
        click("a", Long.MAX_VALUE - 5);

        stream.watermark(31_000);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isZero();
        stream.watermark(31_001);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isEqualTo(1);
    }

    /** As in a backlog, of which the watermark is the partition that is furthest behind. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCounterFarAheadOfATrailingWatermarkLivesFromItsOwnTimeOn(boolean filter)
            throws Exception {
        withFilter = filter;
        stream.start(1, counters());
        stream.processingTime(1_000_000);
        stream.watermark(0);
        assertThat(click("a", 100_000)).isEqualTo(1);

        stream.watermark(100_000);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isZero();
        assertThat(click("a", 105_000)).isEqualTo(2);
        stream.watermark(115_000);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isZero();
        stream.watermark(115_001);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isEqualTo(1);
        assertThat(timers()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCounterFarAheadOfTheFirstWatermarkLivesFromItsOwnTimeOn(boolean restarts)
            throws Exception {
        stream.start(1, counters());
        stream.processingTime(1_000_000);
        assertThat(click("a", 90_000)).isEqualTo(1);
        assertThat(click("a", 100_000)).isEqualTo(2);
        if (restarts) {
            restart(1);
        }

        stream.watermark(0);
        stream.watermark(110_000);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isZero();
        stream.watermark(110_001);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isEqualTo(1);
        assertThat(timers()).isZero();
    }

    @Test
    void aCounterWhoseUpdateWaitsIsNotForgotten() throws Exception {
        emitMillis = 1_000_000;
        stream.start(1, counters());
        stream.watermark(0);
        stream.process(new Click("a", 1), 1000);
        stream.snapshot();
        stream.process(new Click("a", 2), 13_000);

        stream.watermark(12_000);

        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isZero();
        assertThat(stream.endInput()).extracting(CounterValue::value).containsExactly(2L);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ROCKSDB_HEAP_TIMERS")
    void switchedOnAtARestoreOldTotalsBeginTheirTimeThen(Backends backend) throws Exception {
        stream = subtasks(backend);
        expireAfter = null;
        stream.start(1, counters());
        stream.watermark(100_000);
        for (int page = 0; page < 100; page++) {
            click("page " + page, 100_000);
        }

        expireAfter = Duration.ofSeconds(10);
        restart(2);
        assertThat(timers()).isEqualTo(100);
        stream.watermark(200_000);
        assertThat(click("page 7", 205_000)).isEqualTo(2);
        stream.watermark(210_000);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isZero();
        stream.watermark(210_001);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isEqualTo(99);
        assertThat(click("page 7", 211_000)).isEqualTo(3);
        assertThat(click("page 8", 211_000)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ROCKSDB_HEAP_TIMERS")
    void switchedOffAtARestoreItLeavesTotalsAndNothingElse(Backends backend) throws Exception {
        stream = subtasks(backend);
        stream.start(1, counters());
        stream.watermark(0);
        for (int page = 0; page < 100; page++) {
            click("page " + page, 1000);
        }

        expireAfter = null;
        restart(2);
        stream.watermark(1_000_000);
        assertThat(click("page 7", 1_000_000)).isEqualTo(2);

        // Switched on again: nothing tells any more when they were touched.
        expireAfter = Duration.ofSeconds(10);
        restart(1);
        assertThat(timers()).isEqualTo(100);
        stream.watermark(2_000_000);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isZero();
        assertThat(click("page 7", 2_000_000)).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(longs = {3, 30})
    void anotherDurationCountsFromTheLastTouch(long seconds) throws Exception {
        stream.start(1, counters());
        stream.watermark(0);
        click("a", 1000);

        expireAfter = Duration.ofSeconds(seconds);
        restart(2);
        stream.watermark(1000 + 1000 * seconds);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isZero();
        stream.watermark(1001 + 1000 * seconds);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isEqualTo(1);
        stream.watermark(1_000_000);
        assertThat(timers()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void inProcessingTimeTheClockStandsStillWhileTheJobIsDown(boolean filter) throws Exception {
        withFilter = filter;
        timeDomain = TimeDomain.PROCESSING;
        stream.processingTime(1000);
        stream.start(2, counters());
        click("a", 0);
        stream.processingTime(5000);
        stream.snapshot();
        stream.downUntil(1_000_000);
        stream.start(1, counters());

        stream.processingTime(1_006_000);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isZero();
        stream.processingTime(1_006_001);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isEqualTo(1);
        assertThat(click("a", 0)).isEqualTo(1);
    }

    @Test
    void theTimeThatTheJobWasDownCountsWhereItIsToldTo() throws Exception {
        timeDomain = TimeDomain.PROCESSING;
        forgetDuringDowntime = true;
        stream.processingTime(1000);
        stream.start(1, counters());
        click("a", 0);
        stream.snapshot();
        stream.downUntil(1_000_000);
        stream.start(1, counters());

        stream.processingTime(1_000_001);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isEqualTo(1);
    }

    @Test
    void timersThatTheBackendDoesNotKeepAreRefusedOnlyWithExpiry() throws Exception {
        stream = subtasks(Backends.ROCKSDB_HEAP_TIMERS);
        expireAfter = null;
        stream.start(1, counters());
        click("a", 1000);
        stream.snapshot();

        expireAfter = Duration.ofSeconds(10);
        assertThatThrownBy(() -> stream.start(1, counters()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("state.backend.rocksdb.timer-service.factory");
    }

    @Test
    void theDurationIsCheckedAndMayComeFromAConfiguration() {
        IdempotentCounters<Click, String> counters =
                IdempotentCounters.of(Click::page)
                        .uid("clicks")
                        .within(Duration.ofMinutes(1))
                        .counterType(Types.STRING)
                        .withoutFilter()
                        .configure(
                                new Configuration()
                                        .set(CounterOptions.EXPIRE_AFTER, Duration.ZERO));
        var clicks =
                StreamExecutionEnvironment.createLocalEnvironment(1).fromData(new Click("a", 1));
        assertThatThrownBy(() -> counters.apply(clicks))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expireAfter must be at least 1 ms and at most 3653 d")
                .hasMessageContaining("0 ms");
    }
}
