/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.StateTtlConfig.StateVisibility;
import org.apache.flink.api.common.state.StateTtlConfig.UpdateType;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.state.VoidNamespace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A mark lives at least its time to live. It is gone when that ends or, if time is kept in buckets,
 * at most a bucket later. The test sets the clock.
 */
class TtlContractTest extends StateContract {
    private static final VoidNamespace NOWHERE = VoidNamespace.INSTANCE;
    private static final long TTL = 60_000;
    private static final long START = 1_700_000_000_000L;
    private static final int KEYS = 2000;

    private ValueStateDescriptor<Boolean> expiring(String name, long millis, UpdateType update) {
        return expiring(name, millis, update, false);
    }

    private ValueStateDescriptor<Boolean> expiring(
            String name, long millis, UpdateType update, boolean exact) {
        ValueStateDescriptor<Boolean> descriptor =
                exact ? StateBackends.ROCKSDB.flag(name) : backends.flag(name);
        descriptor.enableTimeToLive(
                StateTtlConfig.newBuilder(Duration.ofMillis(millis))
                        .setUpdateType(update)
                        .setStateVisibility(StateVisibility.NeverReturnExpired)
                        .build());
        return descriptor;
    }

    private Flags<Long, VoidNamespace> expiringFlags(UpdateType update) throws Exception {
        KeyedJob<Long> job = job();
        job.time().setCurrentTimestamp(START);
        job.start(1);
        return job.flags(expiring("seen", TTL, update));
    }

    private long slack(long millis) {
        int buckets = backends.timeToLiveBuckets();
        return buckets == 0 ? 0 : (millis + buckets - 1) / buckets;
    }

    private static void setTime(Flags<?, ?> flags, long millis) {
        flags.job().time().setCurrentTimestamp(millis);
    }

    @ParameterizedTest
    @EnumSource(names = {"OnCreateAndWrite", "OnReadAndWrite"})
    void aMarkLivesForItsTimeAndNoLonger(UpdateType update) throws Exception {
        Flags<Long, VoidNamespace> seen = expiringFlags(update);
        mark(seen, 0, KEYS);
        setTime(seen, START + TTL - 1);
        if (update == UpdateType.OnCreateAndWrite) {
            assertMarked(seen, KEYS, number -> true);
        }
        setTime(seen, START + TTL + slack(TTL));
        assertMarked(seen, KEYS, number -> false);
    }

    /** Each subtask has the clock of its machine. */
    @Test
    void aClockADayAheadForgetsNothingAndKeepsNothingLongerOnceItIsRight() throws Exception {
        KeyedJob<Long> job = job();
        Flags<Long, VoidNamespace> seen =
                job.flags(expiring("seen", TTL, UpdateType.OnCreateAndWrite));
        job.start(2);
        for (long key = 0; key < KEYS; key++) {
            boolean isAhead = job.subtaskOf(key) == job.subtask(0);
            job.time().setCurrentTimestamp(START + (isAhead ? 24 * 3_600_000 : 0));
            seen.mark(key, NOWHERE);
        }
        job.checkpoint();
        restoredWithTheRightClockNothingIsForgottenOrKeptLonger(seen);
    }

    private void restoredWithTheRightClockNothingIsForgottenOrKeptLonger(
            Flags<Long, VoidNamespace> seen) throws Exception {
        setTime(seen, START + 1_000);
        seen.job().start(1);
        assertMarked(seen, KEYS, number -> true);
        mark(seen, KEYS, 2 * KEYS);
        setTime(seen, START + TTL - 1);
        assertMarked(seen, 2 * KEYS, number -> true);
        if (backends.timeToLiveBuckets() > 0) {
            setTime(seen, START + 1_000 + TTL + slack(TTL));
            assertMarked(seen, 2 * KEYS, number -> false);
        }
    }

    /** It is restored alone, so no other part says what time it is. */
    @Test
    void aClockADayAheadOfTheOnlySubtaskIsNotBelievedOnceItIsRight() throws Exception {
        KeyedJob<Long> job = job();
        Flags<Long, VoidNamespace> seen =
                job.flags(expiring("seen", TTL, UpdateType.OnCreateAndWrite));
        job.time().setCurrentTimestamp(START + 24 * 3_600_000);
        job.start(1);
        mark(seen, 0, KEYS);
        job.checkpoint();
        restoredWithTheRightClockNothingIsForgottenOrKeptLonger(seen);
    }

    /** Clocks of machines differ a little: no mark lives for less than its time because of that. */
    @Test
    void aClockThatIsABitBehindAfterARestoreForgetsNothingEarly() throws Exception {
        KeyedJob<Long> job = job();
        Flags<Long, VoidNamespace> seen =
                job.flags(expiring("seen", TTL, UpdateType.OnCreateAndWrite));
        job.time().setCurrentTimestamp(START + 2_000);
        job.start(1);
        mark(seen, 0, KEYS);
        job.checkpoint();
        setTime(seen, START);
        job.start(1);
        assertMarked(seen, KEYS, number -> true);
        setTime(seen, START + 2_000 + TTL - 1);
        assertMarked(seen, KEYS, number -> true);
    }

    @Test
    void everyMarkHasItsOwnTime() throws Exception {
        Flags<Long, VoidNamespace> seen = expiringFlags(UpdateType.OnCreateAndWrite);
        long step = TTL / 100;
        long asked = 0;
        long wrong = 0;
        for (long number = 0; number < 500; number++) {
            long now = START + number * step;
            setTime(seen, now);
            seen.mark(number, NOWHERE);
            if (number % 20 == 0) {
                for (long earlier = 0; earlier <= number; earlier++) {
                    long age = now - (START + earlier * step);
                    boolean marked = seen.isMarked(earlier, NOWHERE);
                    if (age < TTL) {
                        assertThat(marked).as("%d ms old", age).isTrue();
                    } else if (age >= TTL + slack(TTL)) {
                        asked++;
                        wrong += marked ? 1 : 0;
                    }
                }
            }
        }
        assertThat(asked).isPositive();
        assertThat(wrong).isLessThanOrEqualTo(allowed(asked));
    }

    @Test
    void aWriteBeginsTheTimeAgain() throws Exception {
        Flags<Long, VoidNamespace> seen = expiringFlags(UpdateType.OnCreateAndWrite);
        mark(seen, 0, KEYS);
        setTime(seen, START + TTL / 2);
        mark(seen, 0, KEYS / 2);
        setTime(seen, START + TTL / 2 + TTL - 1);
        for (long number = 0; number < KEYS / 2; number++) {
            assertThat(seen.isMarked(number, NOWHERE)).isTrue();
        }
        setTime(seen, START + TTL / 2 + TTL + slack(TTL));
        assertMarked(seen, KEYS, number -> false);
    }

    @Test
    void aReadDoesNotBeginTheTimeAgain() throws Exception {
        Flags<Long, VoidNamespace> seen = expiringFlags(UpdateType.OnCreateAndWrite);
        mark(seen, 0, KEYS);
        for (long at = 0; at < TTL; at += TTL / 10) {
            setTime(seen, START + at);
            assertMarked(seen, KEYS, number -> true);
        }
        setTime(seen, START + TTL + slack(TTL));
        assertMarked(seen, KEYS, number -> false);
    }

    @Test
    void aReadBeginsTheTimeAgainWhereThatWasAskedFor() throws Exception {
        Flags<Long, VoidNamespace> seen = expiringFlags(UpdateType.OnReadAndWrite);
        mark(seen, 0, KEYS);
        long last = START;
        for (int i = 0; i < 10; i++) {
            last += TTL - 1;
            setTime(seen, last);
            for (long number = 0; number < KEYS; number += 2) {
                assertThat(seen.isMarked(number, NOWHERE)).isTrue();
            }
        }
        setTime(seen, last + TTL - 1);
        long wrong = 0;
        for (long number = 1; number < KEYS; number += 2) {
            wrong += seen.isMarked(number, NOWHERE) ? 1 : 0;
        }
        assertThat(wrong).isLessThanOrEqualTo(allowed(KEYS / 2));
        setTime(seen, last + TTL + slack(TTL));
        assertMarked(seen, KEYS, number -> false);
    }

    @Test
    void aClearedMarkIsGoneAtOnceHoweverOftenItWasMade() throws Exception {
        Flags<Long, VoidNamespace> seen = expiringFlags(UpdateType.OnCreateAndWrite);
        for (long at = 0; at < TTL; at += TTL / 10) {
            setTime(seen, START + at);
            mark(seen, 0, 100);
        }
        for (long number = 0; number < 100; number += 2) {
            seen.clear(number, NOWHERE);
        }
        assertMarked(seen, 100, number -> number % 2 == 1);
        mark(seen, 0, 100);
        assertMarked(seen, 100, number -> true);
    }

    @Test
    void anExpiredMarkCanBeMadeAgain() throws Exception {
        Flags<Long, VoidNamespace> seen = expiringFlags(UpdateType.OnCreateAndWrite);
        long now = START;
        long wrong = 0;
        for (int i = 0; i < 20; i++) {
            setTime(seen, now);
            for (long number = 0; number < 100; number++) {
                wrong += seen.markFirst(number, NOWHERE) ? 0 : 1;
                assertThat(seen.markFirst(number, NOWHERE)).isFalse();
            }
            now += TTL + slack(TTL);
        }
        assertThat(wrong).isLessThanOrEqualTo(allowed(2000));
    }

    @Test
    void statesHaveTimesOfTheirOwn() throws Exception {
        KeyedJob<Long> job = job();
        job.time().setCurrentTimestamp(START);
        job.start(1);
        Flags<Long, VoidNamespace> brief =
                job.flags(expiring("brief", TTL, UpdateType.OnCreateAndWrite));
        Flags<Long, VoidNamespace> longer =
                job.flags(expiring("longer", 5 * TTL, UpdateType.OnCreateAndWrite));
        Flags<Long, VoidNamespace> lasting = job.flags(backends.flag("lasting"));
        mark(brief, 0, 300);
        mark(longer, 0, 300);
        mark(lasting, 0, 300);
        setTime(brief, START + 5 * TTL - 1);
        assertMarked(brief, 300, number -> false);
        assertMarked(longer, 300, number -> true);
        setTime(brief, START + 5 * TTL + slack(5 * TTL));
        assertMarked(longer, 300, number -> false);
        assertMarked(lasting, 300, number -> true);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void timeGoesOnWhileNothingRuns(int parallelism) throws Exception {
        Flags<Long, VoidNamespace> seen = expiringFlags(UpdateType.OnCreateAndWrite);
        KeyedJob<Long> job = seen.job();
        mark(seen, 0, KEYS / 2);
        setTime(seen, START + TTL / 2);
        mark(seen, KEYS / 2, KEYS);
        job.checkpoint();
        job.start(parallelism);
        assertMarked(seen, KEYS, number -> true);
        job.stop();
        setTime(seen, START + TTL + slack(TTL));
        job.start(parallelism);
        assertMarked(seen, KEYS, number -> number >= KEYS / 2);
        job.checkpoint();
        job.stop();
        setTime(seen, START + 2 * TTL + slack(TTL));
        job.start(1);
        assertMarked(seen, KEYS, number -> false);
        mark(seen, 0, 100);
        assertMarked(seen, 100, number -> true);
    }

    @Test
    void aLongPauseForgetsAll() throws Exception {
        Flags<Long, VoidNamespace> seen = expiringFlags(UpdateType.OnCreateAndWrite);
        mark(seen, 0, 300);
        setTime(seen, START + 100_000 * TTL);
        assertMarked(seen, 300, number -> false);
        mark(seen, 100, 200);
        assertMarked(seen, 300, number -> number >= 100 && number < 200);
    }

    /** Processing time is a wall clock: it can be put back. */
    @Test
    void aClockThatIsPutBackLosesNothing() throws Exception {
        Flags<Long, VoidNamespace> seen = expiringFlags(UpdateType.OnCreateAndWrite);
        mark(seen, 0, 300);
        setTime(seen, START - TTL / 2);
        mark(seen, 300, 600);
        assertMarked(seen, 600, number -> true);
        setTime(seen, START + TTL / 2 - 1);
        assertMarked(seen, 600, number -> true);
        setTime(seen, START + TTL + slack(TTL));
        assertMarked(seen, 600, number -> false);
    }

    @Test
    void aTimeToLiveOfCenturiesIsOne() throws Exception {
        KeyedJob<Long> job = job();
        job.time().setCurrentTimestamp(START);
        job.start(1);
        long centuries = Duration.ofDays(365 * 300).toMillis();
        Flags<Long, VoidNamespace> seen =
                job.flags(expiring("seen", centuries, UpdateType.OnCreateAndWrite));
        mark(seen, 0, 100);
        setTime(seen, START + centuries - 1);
        assertMarked(seen, 200, number -> number < 100);
    }

    /** The time to live of a user who wants a mark for ever but has to give a time. */
    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, Long.MAX_VALUE - 1, Long.MAX_VALUE / 100 * 95})
    void theLongestTimeToLiveNeverEnds(long timeToLive) throws Exception {
        KeyedJob<Long> job = job();
        job.time().setCurrentTimestamp(START);
        job.start(1);
        ValueStateDescriptor<Boolean> descriptor =
                expiring("seen", timeToLive, UpdateType.OnCreateAndWrite);
        Flags<Long, VoidNamespace> seen = job.flags(descriptor);
        mark(seen, 0, 100);
        setTime(seen, START + 100_000 * TTL);
        mark(seen, 100, 200);
        assertMarked(seen, 300, number -> number < 200);
        job.checkpoint();
        setTime(seen, START + 200_000 * TTL);
        job.start(2);
        assertMarked(job.flags(descriptor), 300, number -> number < 200);
    }

    @Test
    void expiredMarksThatMayBeReturnedAreNotForgottenEarly() throws Exception {
        KeyedJob<Long> job = job();
        job.time().setCurrentTimestamp(START);
        job.start(1);
        ValueStateDescriptor<Boolean> descriptor = backends.flag("seen");
        descriptor.enableTimeToLive(
                StateTtlConfig.newBuilder(Duration.ofMillis(TTL))
                        .setStateVisibility(StateVisibility.ReturnExpiredIfNotCleanedUp)
                        .build());
        Flags<Long, VoidNamespace> seen = job.flags(descriptor);
        mark(seen, 0, 300);
        setTime(seen, START + TTL - 1);
        assertMarked(seen, 600, number -> number < 300);
    }

    /** Flags that RocksDB has kept exactly, restored by the backend under test. */
    @Test
    void flagsThatMoveInKeepTheirAge() throws Exception {
        KeyedJob<Long> job = job();
        job.time().setCurrentTimestamp(START);
        job.changeBackend(StateBackends.ROCKSDB::create);
        job.start(2);
        Flags<Long, VoidNamespace> exact =
                job.flags(expiring("seen", TTL, UpdateType.OnCreateAndWrite, true));
        mark(exact, 0, 500);
        long later = START + 4 * TTL;
        setTime(exact, later - TTL / 2);
        mark(exact, 500, 1000);
        setTime(exact, later - TTL / 4);
        mark(exact, 1000, 1500);
        Checkpoint savepoint =
                job.checkpoint(SavepointType.savepoint(SavepointFormatType.CANONICAL));
        job.stop();
        setTime(exact, later);
        job.changeBackend(backends::create);
        job.start(2, savepoint);
        Flags<Long, VoidNamespace> seen =
                job.flags(expiring("seen", TTL, UpdateType.OnCreateAndWrite));
        assertMarked(seen, 1500, number -> number >= 500);
        setTime(seen, later + TTL / 2 - 1);
        assertMarked(seen, 1500, number -> number >= 500);
        setTime(seen, later + TTL / 2 + slack(TTL));
        assertMarked(seen, 1500, number -> number >= 1000);
        setTime(seen, later + TTL - TTL / 4 + slack(TTL));
        assertMarked(seen, 1500, number -> false);
    }

    @Test
    void marksThatLastedBeginToLiveWhenATimeToLiveIsSwitchedOn() throws Exception {
        KeyedJob<Long> job = job();
        job.time().setCurrentTimestamp(START);
        job.start(1);
        mark(job.flags(backends.flag("seen")), 0, 1000);
        job.checkpoint();
        job.stop();
        job.time().setCurrentTimestamp(START + 10 * TTL);
        job.start(1);
        Flags<Long, VoidNamespace> seen =
                job.flags(expiring("seen", TTL, UpdateType.OnCreateAndWrite));
        assertMarked(seen, 1000, number -> true);
        setTime(seen, START + 11 * TTL - 1);
        assertMarked(seen, 1000, number -> true);
        setTime(seen, START + 11 * TTL + slack(TTL));
        assertMarked(seen, 1000, number -> false);
    }

    @Test
    void aKeyThatWasClearedStaysClearedWhenATimeToLiveIsSwitchedOn() throws Exception {
        KeyedJob<Long> job = job();
        job.time().setCurrentTimestamp(START);
        job.start(1);
        mark(job.flags(backends.flag("seen")), 0, 1000);
        job.checkpoint();
        job.start(1);
        Flags<Long, VoidNamespace> seen =
                job.flags(expiring("seen", TTL, UpdateType.OnCreateAndWrite));
        for (long number = 0; number < 1000; number += 2) {
            seen.clear(number, NOWHERE);
        }
        assertMarked(seen, 1000, number -> number % 2 == 1);
        for (int i = 1; i < 4; i++) {
            job.checkpoint();
            job.start(i);
            setTime(seen, START + i * TTL);
            for (long number = 0; number < 1000; number += 2) {
                assertThat(seen.isMarked(number, NOWHERE)).isFalse();
            }
        }
    }

    @Test
    void newMarksLiveForAShorterTimeWhenThatIsSet() throws Exception {
        KeyedJob<Long> job = job();
        job.time().setCurrentTimestamp(START);
        job.start(1);
        mark(job.flags(expiring("seen", 720 * TTL, UpdateType.OnCreateAndWrite)), 0, 1000);
        job.checkpoint();
        job.stop();
        long later = START + 10 * TTL;
        job.time().setCurrentTimestamp(later);
        job.start(1);
        Flags<Long, VoidNamespace> seen =
                job.flags(expiring("seen", TTL, UpdateType.OnCreateAndWrite));
        mark(seen, 1000, 2000);
        for (long number = 1000; number < 2000; number++) {
            assertThat(seen.isMarked(number, NOWHERE)).isTrue();
        }
        setTime(seen, later + TTL + slack(TTL));
        assertMarked(seen, 2000, number -> false);
    }
}
