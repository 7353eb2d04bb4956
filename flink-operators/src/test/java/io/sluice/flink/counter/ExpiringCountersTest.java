/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.window.OverflowPolicy;
import io.sluice.flink.Backends;
import io.sluice.flink.Batching;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.flink.runtime.IdHasher;
import io.sluice.flink.runtime.KeyGroupedOperator;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Totals that are no longer touched, in both time domains and across restores. */
class ExpiringCountersTest {

    /** An operation on a counter. */
    record Click(String page, long request) {}

    private static final long MAX_WATERMARK = Long.MAX_VALUE;

    private TimeDomain timeDomain = TimeDomain.EVENT;
    private Duration expireAfter = Duration.ofSeconds(10);
    private long emitMillis;
    private boolean withFilter = true;
    private boolean forgetDuringDowntime;
    private long requests;

    /** Null if the wall clock of the test is used as it is. */
    private @Nullable LongSupplier steadyNanos;

    private Subtasks<String, Click, CounterValue<String>> stream = subtasks(Backends.HASHMAP);

    private static Subtasks<String, Click, CounterValue<String>> subtasks(Backends backend) {
        return new Subtasks<>(Click::page, Types.STRING, 90, backend);
    }

    @AfterEach
    void close() throws Exception {
        stream.close();
    }

    private Supplier<OneInputStreamOperator<Click, CounterValue<String>>> counters() {
        WindowSettings settings =
                new WindowSettings(
                        Duration.ofSeconds(5),
                        1e-9,
                        1000,
                        MemorySize.ofMebiBytes(16),
                        OverflowPolicy.FAIL,
                        timeDomain,
                        forgetDuringDowntime,
                        0,
                        timeDomain == TimeDomain.EVENT ? Duration.ofSeconds(20) : null,
                        false,
                        null,
                        null);
        KeySelector<Click, String> page = Click::page;
        KeySelector<Click, Long> request = Click::request;
        IdHasher<String> pages = IdHasher.of(Types.STRING, new SerializerConfigImpl());
        Counting<Click, String> counting =
                new Counting<>(
                        page,
                        click -> 1,
                        emitMillis,
                        StringSerializer.INSTANCE,
                        pages,
                        OnNullId.fail(),
                        CounterExpiry.of(settings, expireAfter));
        OperationHasher<Click, String, Long> hasher =
                new OperationHasher<>(
                        pages, request, IdHasher.of(Types.LONG, new SerializerConfigImpl()));
        boolean filter = withFilter;
        TimeDomain domain = timeDomain;
        LongSupplier steady = steadyNanos;
        return () -> {
            KeyGroupedOperator<Click, CounterValue<String>, ?> operator =
                    filter
                            ? new CounterOperator<>(
                                    counting,
                                    settings,
                                    Batching.OFF,
                                    hasher,
                                    OnDuplicate.drop(),
                                    OnLate.forward(),
                                    OnNullId.fail())
                            : new PlainCounterOperator<>(counting, domain);
            operator.steadyNanos(steady);
            return operator;
        };
    }

    /** Applies a new operation, and returns the value of its counter. */
    private long click(String page, long timestamp) throws Exception {
        List<CounterValue<String>> values = stream.process(new Click(page, requests++), timestamp);
        assertThat(values).hasSize(1);
        return values.get(0).value();
    }

    private long timers() {
        return stream.harnesses().stream()
                .mapToLong(
                        harness -> harness.numEventTimeTimers() + harness.numProcessingTimeTimers())
                .sum();
    }

    private void restart(int parallelism) throws Exception {
        stream.snapshot();
        stream.start(parallelism, counters());
    }

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

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWallClockThatIsADayAheadForAMomentExpiresNothing(boolean filter) throws Exception {
        long[] steadyMillis = {0};
        steadyNanos = () -> steadyMillis[0] * 1_000_000;
        withFilter = filter;
        timeDomain = TimeDomain.PROCESSING;
        stream.processingTime(1000);
        stream.start(1, counters());
        click("a", 0);

        steadyMillis[0] = 4000;
        stream.processingTime(5000 + 86_400_000);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isZero();
        assertThat(click("a", 0)).as("not expired").isEqualTo(2);
        assertThat(timers()).isEqualTo(1);
        assertThat(stream.gaugeSum(DeduplicateMetrics.WALL_CLOCK_AHEAD_MILLIS))
                .isBetween(86_400_000L, 86_410_000L);

        steadyMillis[0] = 14_001;
        stream.processingTime(15_001 + 86_400_000);
        assertThat(stream.counter(ExpiringCounters.EXPIRED))
                .as("time goes on by the steady clock")
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void afterAWallClockThatWasADayAheadACounterEndsWhenItsTimeIsOver(boolean filter)
            throws Exception {
        long[] steadyMillis = {0};
        steadyNanos = () -> steadyMillis[0] * 1_000_000;
        withFilter = filter;
        timeDomain = TimeDomain.PROCESSING;
        stream.processingTime(1000);
        stream.start(1, counters());
        click("a", 0);
        click("b", 0);

        steadyMillis[0] = 4000;
        stream.processingTime(5000 + 86_400_000);
        steadyMillis[0] = 9000;
        stream.processingTime(10_000);
        assertThat(click("b", 0)).as("touched in time").isEqualTo(2);

        steadyMillis[0] = 10_001;
        stream.processingTime(11_001);
        assertThat(click("a", 0)).as("its timer is a day late").isEqualTo(1);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isEqualTo(1);
        assertThat(timers()).as("no counter has a second one").isEqualTo(2);
        assertThat(click("b", 0)).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWallClockThatIsSetAheadForGoodExpiresNothingEarly(boolean filter) throws Exception {
        long day = 86_400_000;
        long hour = 3_600_000;
        long[] steadyMillis = {0};
        steadyNanos = () -> steadyMillis[0] * 1_000_000;
        withFilter = filter;
        expireAfter = Duration.ofHours(3);
        timeDomain = TimeDomain.PROCESSING;
        stream.processingTime(day);
        stream.start(1, counters());
        click("a", 0);
        steadyMillis[0] = 1000;
        stream.processingTime(2 * day + 1000);
        steadyMillis[0] = 2 * hour;
        stream.processingTime(2 * day + 2 * hour);
        assertThat(click("a", 0)).isEqualTo(2);
        steadyMillis[0] = 5 * hour + 1;
        stream.processingTime(2 * day + 5 * hour + 1);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWallClockThatIsADayBehindForAMomentExpiresNothingEarlyOrLate(boolean filter)
            throws Exception {
        long day = 86_400_000;
        long[] steadyMillis = {0};
        steadyNanos = () -> steadyMillis[0] * 1_000_000;
        withFilter = filter;
        timeDomain = TimeDomain.PROCESSING;
        stream.processingTime(2 * day);
        stream.start(1, counters());
        click("a", 0);

        steadyMillis[0] = 4000;
        stream.processingTime(day + 4000);
        click("b", 0);
        steadyMillis[0] = 5000;
        stream.processingTime(2 * day + 5000);
        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isZero();

        steadyMillis[0] = 10_001;
        stream.processingTime(2 * day + 10_001);
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
        long day = 86_400_000;
        long[] steadyMillis = {0};
        boolean[] isSetRight = {false};
        int[] readings = {0};
        // Has no other timers, which would set the clock right before.
        withFilter = false;
        timeDomain = TimeDomain.PROCESSING;
        steadyNanos =
                () -> {
                    if (isSetRight[0]) {
                        assertThat(++readings[0]).as("readings of the clock").isLessThan(1000);
                        setClock(5000);
                    }
                    return steadyMillis[0] * 1_000_000;
                };
        stream.processingTime(1000);
        stream.start(1, counters());
        click("a", 0);
        steadyMillis[0] = 4000;
        isSetRight[0] = true;
        stream.processingTime(day);
        isSetRight[0] = false;

        assertThat(stream.counter(ExpiringCounters.EXPIRED)).isZero();
        assertThat(timers()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anUpdateThatCameInTimeIsAddedThoughItIsEmittedLater(boolean inTime) throws Exception {
        long day = 86_400_000;
        long[] steadyMillis = {0};
        steadyNanos = () -> steadyMillis[0] * 1_000_000;
        timeDomain = TimeDomain.PROCESSING;
        emitMillis = 100_000_000;
        stream.processingTime(1000);
        stream.start(1, counters());
        stream.process(new Click("a", 1), 0);
        stream.snapshot();
        // Timers are a day late from here on.
        steadyMillis[0] = 4000;
        stream.processingTime(5000 + day);
        steadyMillis[0] = inTime ? 10_000 : 10_001;
        stream.processingTime(1000 + steadyMillis[0]);
        stream.process(new Click("a", 2), 0);
        steadyMillis[0] = 12_000;
        stream.processingTime(13_000);

        assertThat(stream.endInput())
                .extracting(CounterValue::value)
                .containsExactly(inTime ? 2L : 1L);
    }

    @Test
    void whereDowntimeCountsARestoreOnAMachineThatIsADayBehindKeepsNoCounterLonger()
            throws Exception {
        long day = 86_400_000;
        timeDomain = TimeDomain.PROCESSING;
        forgetDuringDowntime = true;
        stream.processingTime(2 * day);
        stream.start(1, counters());
        click("a", 0);
        click("b", 0);
        stream.snapshot();
        stream.downUntil(day);
        stream.start(1, counters());

        stream.processingTime(day + 10_000);
        assertThat(click("b", 0)).isEqualTo(2);
        stream.processingTime(day + 10_001);
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
                .hasMessageContaining("expireAfter must be at least 1 ms and at most 3653 days")
                .hasMessageContaining("PT0S");
    }
}
