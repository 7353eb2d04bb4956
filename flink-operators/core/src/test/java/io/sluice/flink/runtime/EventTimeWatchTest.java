/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventTimeWatchTest {

    private static final long SECOND = 1_000;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    private static final long START = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();

    private final List<String> lines = new ArrayList<>();
    private long now = START;
    private long records;

    private EventTimeWatch watch(long windowMillis) {
        return new EventTimeWatch("'orders'", windowMillis, lines::add, START);
    }

    /**
     * Lets time pass with a check every five seconds, and a record before each check if records
     * come.
     */
    private void pass(EventTimeWatch watch, long millis, boolean withRecords) {
        for (long end = now + millis; now < end; ) {
            now += 5 * SECOND;
            records += withRecords ? 1 : 0;
            watch.check(records, Long.MIN_VALUE, now);
        }
    }

    @Test
    void recordsWithoutAnyWatermarkAreNoticedAfterAMinute() {
        EventTimeWatch watch = watch(SECOND);
        pass(watch, MINUTE, true);
        assertThat(watch.stalledMillis()).isZero();
        assertThat(lines).isEmpty();
        pass(watch, 10 * SECOND, true);
        assertThat(watch.stalledMillis()).isEqualTo(70 * SECOND);
        assertThat(lines)
                .singleElement()
                .asString()
                .contains(
                        "'orders'",
                        "has stood still since 2026-01-01T00:00:00Z",
                        "no watermark has come at all",
                        "onOverflow",
                        "withIdleness",
                        "timeDomain(PROCESSING)");
    }

    @Test
    void aWatermarkThatStandsStillIsNoticedAfterAQuarterOfTheWindow() {
        EventTimeWatch watch = watch(HOUR);
        pass(watch, 10 * SECOND, true);
        watch.onWatermark(START, now);
        pass(watch, 15 * MINUTE, true);
        watch.onWatermark(START, now);
        assertThat(watch.stalledMillis()).isZero();
        pass(watch, 10 * SECOND, true);
        assertThat(watch.stalledMillis()).isEqualTo(15 * MINUTE + 10 * SECOND);
        assertThat(lines)
                .singleElement()
                .asString()
                .contains("since 2026-01-01T00:00:10Z")
                .doesNotContain("at all");
        watch.onWatermark(START + 1, now);
        watch.check(records, Long.MIN_VALUE, now);
        assertThat(watch.stalledMillis()).as("it moves again").isZero();
    }

    @Test
    void aStallIsLoggedOnceAMinute() {
        EventTimeWatch watch = watch(SECOND);
        pass(watch, 5 * MINUTE + 30 * SECOND, true);
        assertThat(lines).hasSize(5);
    }

    @Test
    void aStreamWithoutRecordsIsNotStalled() {
        EventTimeWatch watch = watch(SECOND);
        pass(watch, 30 * SECOND, true);
        watch.onWatermark(START, now);
        pass(watch, 10 * SECOND, true);
        pass(watch, HOUR, false);
        assertThat(watch.stalledMillis()).isZero();
        assertThat(lines).isEmpty();
    }

    @Test
    void aTaskThatWasHeldUpIsNotStalled() {
        EventTimeWatch watch = watch(SECOND);
        watch.onWatermark(START, now);
        now += HOUR;
        watch.check(1, Long.MIN_VALUE, now);
        assertThat(watch.stalledMillis()).isZero();
    }

    @Test
    void theEndOfTheInputIsNeitherAStallNorAhead() {
        EventTimeWatch watch = watch(SECOND);
        watch.onWatermark(START, now);
        watch.onWatermark(Long.MAX_VALUE, now);
        pass(watch, HOUR, true);
        assertThat(watch.stalledMillis()).isZero();
        assertThat(watch.aheadMillis()).isZero();
        assertThat(lines).isEmpty();
    }

    @Test
    void eventTimeAheadOfTheWallClockIsNoticedBeyondTheWindowAndAnHour() {
        EventTimeWatch watch = watch(SECOND);
        watch.onWatermark(START + HOUR, now);
        watch.check(0, Long.MIN_VALUE, now);
        assertThat(watch.aheadMillis()).isZero();
        long ahead = Duration.ofDays(365).toMillis();
        watch.onWatermark(START + ahead, now);
        watch.check(0, Long.MIN_VALUE, now);
        assertThat(watch.aheadMillis()).isEqualTo(ahead);
        assertThat(lines)
                .singleElement()
                .asString()
                .contains(
                        "'orders'",
                        "ahead of the wall clock by PT8760H",
                        "2026-01-01T00:00:00Z",
                        "2027-01-01T00:00:00Z",
                        "resetClock()",
                        "sluice.window.reset-clock");
        now += ahead;
        watch.check(0, Long.MIN_VALUE, now);
        assertThat(watch.aheadMillis()).as("the wall clock has caught up").isZero();
    }

    @Test
    void aRestoredClockAheadOfTheWallClockIsNoticedToo() {
        EventTimeWatch watch = watch(5 * HOUR);
        watch.check(0, START + 5 * HOUR, now);
        assertThat(watch.aheadMillis()).isZero();
        watch.check(0, START + 5 * HOUR + 1, now);
        assertThat(watch.aheadMillis()).isEqualTo(5 * HOUR + 1);
        watch.check(0, Long.MAX_VALUE - 1, now);
        assertThat(watch.aheadMillis()).isPositive();
    }
}
