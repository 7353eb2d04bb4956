/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static io.sluice.flink.dedup.DeduplicateFixture.DUPLICATES;
import static io.sluice.flink.dedup.DeduplicateFixture.LATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.MeasuredError;
import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.flink.Backends;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the operator handles time, duplicates, late records and too little memory. */
class DeduplicateOperatorTest {

    private static final long DAY_MILLIS = 86_400_000;

    private final DeduplicateFixture fixture = new DeduplicateFixture();
    private final Subtasks<Long, Long, Long> stream =
            DeduplicateFixture.subtasks(128, Backends.HASHMAP);

    /** What the steady clock shows, in milliseconds. */
    private long steady;

    @AfterEach
    void close() throws Exception {
        stream.close();
    }

    @Test
    void dropsADuplicateUntilTheWatermarkPassesTheWindow() throws Exception {
        stream.start(1, fixture.filter());
        assertThat(stream.process(1L, 100)).containsExactly(1L);
        assertThat(stream.process(1L, 100)).isEmpty();
        stream.watermark(1100);
        assertThat(stream.process(1L, 1100)).isEmpty();
        stream.watermark(1101);
        assertThat(stream.process(1L, 1101)).containsExactly(1L);
        assertThat(stream.process(1L, 1102)).isEmpty();
    }

    @Test
    void aDuplicateDoesNotRenewTheAgeOfItsFirst() throws Exception {
        stream.start(1, fixture.filter());
        stream.process(1L, 0);
        stream.watermark(900);
        assertThat(stream.process(1L, 900)).isEmpty();
        stream.watermark(1001);
        assertThat(stream.process(1L, 1001)).containsExactly(1L);
    }

    @Test
    void equalTimestampsAndNoWatermarkAreFine() throws Exception {
        stream.start(1, fixture.filter());
        for (long id = 0; id < 100; id++) {
            assertThat(stream.process(id, 7)).containsExactly(id);
        }
        for (long id = 0; id < 100; id++) {
            assertThat(stream.process(id, 7)).isEmpty();
        }
    }

    @Test
    void timestampsMayBeOutOfOrderWithinTheWindow() throws Exception {
        stream.start(1, fixture.filter());
        stream.process(1L, 5000);
        stream.process(2L, 4001);
        stream.watermark(5000);
        assertThat(stream.process(2L, 4001)).isEmpty();
        assertThat(stream.process(1L, 4500)).isEmpty();
    }

    @Test
    void anExtremeWatermarkOrTimestampBreaksNothing() throws Exception {
        stream.start(1, fixture.filter());
        stream.watermark(Long.MIN_VALUE);
        assertThat(stream.process(1L, Long.MIN_VALUE + 1)).containsExactly(1L);
        assertThat(stream.process(1L, Long.MIN_VALUE + 900)).isEmpty();
        assertThat(stream.process(1L, 5)).as("an age later").containsExactly(1L);
        assertThat(stream.process(2L, Long.MAX_VALUE)).containsExactly(2L);
        assertThat(stream.process(2L, Long.MAX_VALUE - 900)).isEmpty();
        stream.watermark(1_000_000);
        assertThat(stream.process(2L, Long.MAX_VALUE)).isEmpty();
        assertThat(stream.process(2L, 1_000_000)).containsExactly(2L);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWildTimestampIsHeldNoLongerThanTheBoundAllows(boolean verified) throws Exception {
        fixture.maxFuture = Duration.ofSeconds(2);
        stream.start(1, verified ? fixture.verified() : fixture.filter());
        stream.watermark(10_000);
        long inAYear = Duration.ofDays(365).toMillis();
        assertThat(stream.process(1L, inAYear)).containsExactly(1L);
        assertThat(stream.process(1L, inAYear)).as("still a duplicate").isEmpty();
        assertThat(stream.process(2L, 12_000)).as("as far ahead as allowed").containsExactly(2L);
        assertThat(stream.counter(DeduplicateMetrics.FUTURE)).isEqualTo(2);

        stream.watermark(13_000);
        assertThat(stream.process(1L, inAYear)).isEmpty();
        stream.watermark(14_200);
        assertThat(stream.process(1L, inAYear)).containsExactly(1L);
        for (long watermark = 15_000; watermark <= 18_000; watermark += 1_000) {
            stream.watermark(watermark);
        }
        assertThat(gauge(DeduplicateMetrics.IDS_HELD)).isZero();
    }

    /** As in a backlog: the watermark is that of the partition that is furthest behind. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTimestampUpToTheWallClockIsBelievedHoweverFarTheWatermarkIsBehind(boolean verified)
            throws Exception {
        long now = Duration.ofDays(365).toMillis();
        fixture.maxFuture = Duration.ofSeconds(2);
        stream.processingTime(now);
        stream.start(1, verified ? fixture.verified() : fixture.filter());
        assertThat(stream.process(1L, now + 2_000)).as("no watermark yet").containsExactly(1L);
        for (long watermark = 0; watermark <= now; watermark += now / 100) {
            stream.watermark(watermark);
            assertThat(stream.process(1L, now + 2_000)).as("at %d", watermark).isEmpty();
        }
        assertThat(stream.counter(DeduplicateMetrics.FUTURE)).isZero();
        stream.process(2L, now + 2_001);
        assertThat(stream.counter(DeduplicateMetrics.FUTURE)).isEqualTo(1);
    }

    /** Partitions that are read at different speeds: only the records' own times count. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRecordIsADuplicateOnlyIfOnePassedWithinTheWindowByTheirOwnTimes(boolean verified)
            throws Exception {
        stream.processingTime(Duration.ofDays(1).toMillis());
        stream.start(1, verified ? fixture.verified() : fixture.filter());
        assertThat(stream.process(1L, 0)).containsExactly(1L);
        assertThat(stream.process(1L, 40_000)).as("40 windows later").containsExactly(1L);
        assertThat(stream.process(1L, 20_000)).as("between").containsExactly(1L);
        for (long time : new long[] {0, 20_000, 40_000}) {
            assertThat(stream.process(1L, time + 1_000)).isEmpty();
            assertThat(stream.process(1L, Math.max(0, time - 1_000))).isEmpty();
        }
        assertThat(stream.process(1L, 21_126)).as("a window and a slice").containsExactly(1L);
    }

    @Test
    void theEndOfTheInputForgetsNothing() throws Exception {
        stream.start(2, fixture.filter());
        stream.process(1L, 100);
        stream.watermark(100);
        stream.watermark(Long.MAX_VALUE);
        stream.endInput();
        stream.snapshot();
        stream.start(3, fixture.filter());
        assertThat(stream.process(1L, 200)).isEmpty();
    }

    @Test
    void lateRecordsGoWhereThePolicySays() throws Exception {
        stream.start(1, fixture.filter());
        stream.watermark(5000);
        assertThat(stream.process(1L, 3999)).containsExactly(1L);
        assertThat(stream.process(1L, 3999)).as("one of late copies passes").isEmpty();
        assertThat(stream.process(2L, 4000)).as("just inside").containsExactly(2L);
        assertThat(stream.process(2L, 4000)).isEmpty();

        fixture.onLate = OnLate.drop();
        stream.start(1, fixture.filter());
        stream.watermark(5000);
        assertThat(stream.process(1L, 3999)).isEmpty();

        fixture.onLate = OnLate.sideOutput(LATE);
        stream.start(1, fixture.filter());
        stream.watermark(5000);
        assertThat(stream.process(1L, 3999)).isEmpty();
        assertThat(stream.sideOutput(LATE)).containsExactly(1L);
    }

    @Test
    void aLateRecordWhoseFirstIsHeldIsADuplicate() throws Exception {
        stream.start(1, fixture.filter());
        stream.process(1L, 5000);
        stream.watermark(6100);
        assertThat(stream.process(1L, 4500)).isEmpty();
        assertThat(stream.counter(DeduplicateMetrics.LATE)).isZero();
    }

    /** Of what a record behind the watermark may be a duplicate of, some has left the window. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRecordBehindTheWatermarkThatCannotBeDecidedIsCounted(boolean verified) throws Exception {
        stream.start(1, verified ? fixture.verified() : fixture.filter());
        stream.process(1L, 1_800);
        stream.watermark(3_000);
        assertThat(stream.process(2L, 3_000)).containsExactly(2L);
        assertThat(stream.counter(DeduplicateMetrics.UNDECIDED)).isZero();
        assertThat(stream.process(1L, 2_500)).hasSize(verified ? 0 : 1);
        assertThat(stream.counter(DeduplicateMetrics.UNDECIDED)).isEqualTo(verified ? 0 : 1);
        assertThat(stream.counter(DeduplicateMetrics.LATE)).isZero();
    }

    @Test
    void duplicatesCanBeTaggedOrPutAside() throws Exception {
        fixture.onDuplicate = OnDuplicate.tag(id -> -id);
        stream.start(1, fixture.filter());
        stream.process(5L, 1);
        assertThat(stream.process(5L, 2)).containsExactly(-5L);

        fixture.onDuplicate = OnDuplicate.sideOutput(DUPLICATES);
        stream.start(1, fixture.filter());
        stream.process(5L, 1);
        assertThat(stream.process(5L, 2)).isEmpty();
        assertThat(stream.sideOutput(DUPLICATES)).containsExactly(5L);
    }

    @Test
    void aRecordWithoutTimestampIsRefusedInEventTime() throws Exception {
        stream.start(1, fixture.filter());
        assertThatThrownBy(() -> stream.process(new StreamRecord<>(1L)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("no timestamp", "timeDomain(PROCESSING)");
    }

    @Test
    void processingTimeNeedsNoTimestamps() throws Exception {
        fixture.timeDomain = TimeDomain.PROCESSING;
        stream.processingTime(1_000_000);
        stream.start(1, fixture.filter());
        assertThat(stream.process(new StreamRecord<>(1L))).containsExactly(1L);
        stream.processingTime(1_001_000);
        assertThat(stream.process(new StreamRecord<>(1L))).isEmpty();
        stream.processingTime(1_001_001);
        assertThat(stream.process(new StreamRecord<>(1L))).containsExactly(1L);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWallClockThatIsADayAheadForAMomentForgetsNothing(boolean verified) throws Exception {
        fixture.timeDomain = TimeDomain.PROCESSING;
        stream.processingTime(1_000_000);
        stream.start(1, verified ? fixture.verified(() -> steady) : fixture.filter(() -> steady));
        stream.process(new StreamRecord<>(1L));

        steady = 500;
        stream.processingTime(1_000_500 + DAY_MILLIS);
        assertThat(stream.process(new StreamRecord<>(1L))).isEmpty();
        assertThat(gauge(DeduplicateMetrics.WALL_CLOCK_AHEAD_MILLIS))
                .isGreaterThanOrEqualTo(DAY_MILLIS);

        steady = 1_001;
        assertThat(stream.process(new StreamRecord<>(1L)))
                .as("time goes on by the steady clock")
                .containsExactly(1L);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWallClockThatIsSetAheadForGoodForgetsEarlyOnlyWhereDowntimeCounts(boolean downtimeCounts)
            throws Exception {
        long hour = 3_600_000;
        fixture.timeDomain = TimeDomain.PROCESSING;
        fixture.window = Duration.ofHours(3);
        fixture.idsPerSecond = 1;
        fixture.forgetDuringDowntime = downtimeCounts;
        stream.processingTime(DAY_MILLIS);
        stream.start(1, fixture.filter(() -> steady));
        stream.process(new StreamRecord<>(1L));

        steady = 1_000;
        stream.processingTime(2 * DAY_MILLIS + 1_000);
        assertThat(stream.process(new StreamRecord<>(1L))).isEmpty();
        steady = 2 * hour;
        stream.processingTime(2 * DAY_MILLIS + 2 * hour);
        assertThat(stream.process(new StreamRecord<>(1L))).hasSize(downtimeCounts ? 1 : 0);
        steady = 3 * hour + 1;
        stream.processingTime(2 * DAY_MILLIS + 3 * hour + 1);
        assertThat(stream.process(new StreamRecord<>(1L))).hasSize(downtimeCounts ? 0 : 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWallClockThatIsADayBehindForAMomentStopsNoForgetting(boolean verified) throws Exception {
        fixture.timeDomain = TimeDomain.PROCESSING;
        stream.processingTime(2 * DAY_MILLIS);
        stream.start(1, verified ? fixture.verified(() -> steady) : fixture.filter(() -> steady));
        stream.process(new StreamRecord<>(1L));

        steady = 500;
        stream.processingTime(DAY_MILLIS + 500);
        assertThat(stream.process(new StreamRecord<>(1L))).isEmpty();
        assertThat(stream.process(new StreamRecord<>(2L))).containsExactly(2L);
        steady = 1_001;
        stream.processingTime(DAY_MILLIS + 1_001);
        assertThat(stream.process(new StreamRecord<>(1L)))
                .as("time goes on by the steady clock")
                .containsExactly(1L);

        steady = 1_400;
        stream.processingTime(2 * DAY_MILLIS + 1_400);
        assertThat(stream.process(new StreamRecord<>(2L))).isEmpty();
        steady = 1_501;
        stream.processingTime(2 * DAY_MILLIS + 1_501);
        assertThat(stream.process(new StreamRecord<>(2L)))
                .as("and by the wall clock, when that is right again")
                .containsExactly(2L);
    }

    @Test
    void whereDowntimeCountsARestoreOnAMachineThatIsADayBehindStopsNoForgetting() throws Exception {
        fixture.timeDomain = TimeDomain.PROCESSING;
        fixture.forgetDuringDowntime = true;
        stream.processingTime(2 * DAY_MILLIS);
        stream.start(1, fixture.filter());
        stream.process(new StreamRecord<>(1L));
        stream.snapshot();

        stream.downUntil(DAY_MILLIS);
        stream.start(1, fixture.filter());
        stream.processingTime(DAY_MILLIS + 1_000);
        assertThat(stream.process(new StreamRecord<>(1L))).isEmpty();
        stream.processingTime(DAY_MILLIS + 1_001);
        assertThat(stream.process(new StreamRecord<>(1L))).containsExactly(1L);
    }

    @Test
    void theClockOfProcessingTimeStandsStillDuringDowntime() throws Exception {
        fixture.timeDomain = TimeDomain.PROCESSING;
        stream.processingTime(1_000_000);
        stream.start(2, fixture.filter());
        stream.process(1L, 0);
        stream.processingTime(1_000_400);
        stream.snapshot();
        stream.downUntil(5_000_000);
        stream.start(3, fixture.filter());
        assertThat(stream.process(1L, 0)).isEmpty();
        stream.processingTime(5_000_600);
        assertThat(stream.process(1L, 0)).as("400 ms before, 600 ms after").isEmpty();
        stream.snapshot();
        stream.downUntil(9_000_000);
        stream.start(1, fixture.filter());
        assertThat(stream.process(1L, 0)).as("a second downtime").isEmpty();
        stream.processingTime(9_000_001);
        assertThat(stream.process(1L, 0)).containsExactly(1L);
    }

    @Test
    void downtimeCountsIfAskedFor() throws Exception {
        fixture.timeDomain = TimeDomain.PROCESSING;
        fixture.forgetDuringDowntime = true;
        stream.processingTime(1_000_000);
        stream.start(1, fixture.filter());
        stream.process(1L, 0);
        stream.snapshot();
        stream.downUntil(1_000_500);
        stream.start(1, fixture.filter());
        assertThat(stream.process(1L, 0)).isEmpty();
        stream.snapshot();
        stream.downUntil(1_001_001);
        stream.start(1, fixture.filter());
        assertThat(stream.process(1L, 0)).containsExactly(1L);
    }

    @Test
    void anIdleStreamForgetsByWatermark() throws Exception {
        stream.start(1, fixture.filter());
        for (long id = 0; id < 20_000; id++) {
            stream.process(id, 0);
        }
        long full = gauge(DeduplicateMetrics.BYTES);
        assertThat(gauge(DeduplicateMetrics.IDS_HELD)).isEqualTo(20_000);

        stream.watermark(5000);
        assertThat(gauge(DeduplicateMetrics.IDS_HELD)).isZero();
        assertThat(gauge(DeduplicateMetrics.BYTES)).isLessThan(full);
    }

    @Test
    void anIdleStreamForgetsByTimer() throws Exception {
        fixture.timeDomain = TimeDomain.PROCESSING;
        stream.processingTime(1_000_000);
        stream.start(1, fixture.filter());
        for (long id = 0; id < 1000; id++) {
            stream.process(id, 0);
        }
        for (long now = 1_000_000; now < 1_002_000; now += 10) {
            stream.processingTime(now);
        }
        assertThat(gauge(DeduplicateMetrics.IDS_HELD)).isZero();
    }

    @Test
    void overflowFails() throws Exception {
        tooLittleMemory(OverflowPolicy.FAIL);
        assertThatThrownBy(() -> flood(1_000_000)).isInstanceOf(FilterFullException.class);
    }

    @Test
    void overflowForgetsTheOldestAndDropsNoNewIdBeyondTenTimesTheProbability() throws Exception {
        tooLittleMemory(OverflowPolicy.FORGET_OLDEST);
        int passed = 0;
        for (long id = 0; id < 1_000_000; id++) {
            passed += stream.process(id, id).size();
        }
        assertThat(1_000_000 - passed).isLessThan(10_000);
        assertThat(gauge(DeduplicateMetrics.OVERFLOWS)).isPositive();
        assertThat(gauge(DeduplicateMetrics.BYTES)).isLessThanOrEqualTo(fixture.memory.getBytes());
        assertThat(gauge(DeduplicateMetrics.WATCHED_MISSED)).isZero();
    }

    @Test
    void overflowShortensTheWindowAndSaysSoByCallingRecordsLate() throws Exception {
        fixture.onLate = OnLate.sideOutput(LATE);
        tooLittleMemory(OverflowPolicy.FORGET_OLDEST);
        for (long id = 0; id < 1_000_000; id++) {
            stream.process(id, id);
            if (id % 1_000 == 0) {
                stream.watermark(id);
            }
        }
        for (long id = 0; id < 100; id++) {
            assertThat(stream.process(id, id)).isEmpty();
        }
        // Some key groups found memory for all of their ids, and know duplicates.
        assertThat(stream.sideOutput(LATE)).hasSizeGreaterThan(50);
        assertThat(stream.process(999_999L, 999_999)).isEmpty();
        assertThat(gauge(DeduplicateMetrics.OVERFLOWS)).isPositive();
        assertThat(gauge(DeduplicateMetrics.BYTES)).isLessThanOrEqualTo(fixture.memory.getBytes());
    }

    private void tooLittleMemory(OverflowPolicy policy) throws Exception {
        fixture.window = Duration.ofDays(1);
        fixture.fpp = 1e-3;
        fixture.idsPerSecond = 1;
        fixture.memory = MemorySize.ofMebiBytes(1);
        fixture.shadowIds = 128;
        fixture.overflow = policy;
        stream.start(1, fixture.filter());
    }

    private void flood(long ids) throws Exception {
        for (long id = 0; id < ids; id++) {
            stream.process(id, id);
        }
    }

    @Test
    void metricsCountWhatHappened() throws Exception {
        stream.start(1, fixture.filter());
        stream.process(1L, 1000);
        stream.process(1L, 1000);
        stream.process(2L, 1000);
        stream.watermark(5000);
        stream.process(3L, 0);
        assertThat(stream.counter(DeduplicateMetrics.RECORDS)).isEqualTo(4);
        assertThat(stream.counter(DeduplicateMetrics.DUPLICATES)).isEqualTo(1);
        assertThat(stream.counter(DeduplicateMetrics.LATE)).isEqualTo(1);
        assertThat(gauge(DeduplicateMetrics.WATCHED_FIRSTS)).isEqualTo(2);
        assertThat(gauge(DeduplicateMetrics.WATCHED_DROPPED)).isZero();
        assertThat(stream.gauge(0, DeduplicateMetrics.MEASURED_FPP, Double.class)).isZero();
        assertThat(stream.gauge(0, DeduplicateMetrics.MEASURED_FPP_UPPER, Double.class))
                .isBetween(0.6, 1.0);
    }

    @Test
    void theTimeOfASnapshotIsUnknownUntilThereIsOne() throws Exception {
        stream.start(1, fixture.filter());
        stream.process(1L, 1000);
        assertThat(stream.gauge(0, DeduplicateMetrics.SNAPSHOT_MILLIS, Double.class)).isNaN();
        stream.snapshot();
        assertThat(stream.gauge(0, DeduplicateMetrics.SNAPSHOT_MILLIS, Double.class)).isPositive();
    }

    @Test
    void theMeasuredErrorAgreesWithTheRealOne() throws Exception {
        fixture.window = Duration.ofDays(1);
        fixture.fpp = 0.02;
        fixture.idsPerSecond = 1;
        fixture.shadowIds = 20_000;
        stream.start(1, fixture.filter());
        long dropped = 0;
        long ids = 200_000;
        for (long id = 0; id < ids; id++) {
            if (stream.process(id, id).isEmpty()) {
                dropped++;
            }
        }
        double real = (double) dropped / ids;
        MeasuredError measured =
                new MeasuredError(
                        gauge(DeduplicateMetrics.WATCHED_FIRSTS),
                        gauge(DeduplicateMetrics.WATCHED_DROPPED));
        assertThat(real).isPositive().isLessThan(fixture.fpp);
        assertThat(measured.firsts()).isGreaterThan(10_000);
        assertThat(real).isBetween(measured.lower(5), measured.upper(5));
        assertThat(gauge(DeduplicateMetrics.WATCHED_MISSED)).isZero();
    }

    private long gauge(String name) throws Exception {
        return stream.gauge(0, name, Long.class);
    }
}
