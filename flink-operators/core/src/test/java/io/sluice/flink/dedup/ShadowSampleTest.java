/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.MeasuredError;
import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.hash.SharedSlots;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ShadowSampleTest {

    private static final long WINDOW = 1000;

    private final MemoryBudget budget = new MemoryBudget(1 << 20);

    private ShadowSample sample(int maxIds, long expected) {
        return ShadowSample.create(maxIds, expected, WINDOW, budget);
    }

    @Test
    void choosesOneInTwoToTheShift() {
        ShadowSample sample = sample(1000, 16_000);
        assertThat(sample.shift()).isEqualTo(4);
        int chosen = 0;
        for (long id = 0; id < 1 << 16; id++) {
            if (sample.contains(Hashing.hash(id))) {
                chosen++;
            }
        }
        // Binomial(65536, 1/16): mean 4096, standard deviation 62.
        assertThat(chosen).isBetween(4096 - 310, 4096 + 310);
    }

    @Test
    void withoutShiftChoosesAll() {
        ShadowSample sample = sample(1000, 10);
        assertThat(sample.contains(0)).isTrue();
        assertThat(sample.contains(-1)).isTrue();
        assertThat(sample(0, 10).contains(0)).isFalse();
    }

    @Test
    void tellsFalseDuplicatesFromTrueOnes() {
        ShadowSample sample = sample(1000, 10);
        sample.record(1, 0, 0, true, 0, 0); // new
        sample.record(1, 1, 1, false, 0, 0); // its duplicate
        sample.record(2, 2, 2, false, 0, 0); // new, and dropped
        sample.record(2, 3, 3, false, 0, 0); // its duplicate, no second loss
        assertThat(sample.error()).isEqualTo(new MeasuredError(2, 1));
        assertThat(sample.missed()).isZero();
    }

    @Test
    void noticesWhatTheFilterForgotTooEarly() {
        ShadowSample sample = sample(1000, 10);
        sample.record(1, 100, 100, true, 0, 0);
        sample.record(1, 200, 200, true, 100, 1100);
        assertThat(sample.missed()).isEqualTo(1);
    }

    @Test
    void anIdThatWasDroppedNeedsNotBeHeld() {
        ShadowSample sample = sample(1000, 10);
        sample.record(1, 100, 100, false, 0, 0); // dropped, so the filter did not take it
        sample.record(1, 200, 200, true, 0, 0); // and may see it as new later
        assertThat(sample.missed()).isZero();
        sample.record(1, 300, 300, true, 0, 0); // but now it had to hold it
        assertThat(sample.missed()).isEqualTo(1);
    }

    @Test
    void aRecordUpToASliceOutOfTheWindowSaysNothing() {
        ShadowSample sample = sample(1000, 10);
        sample.record(1, 0, 0, true, Long.MIN_VALUE, 0);
        sample.record(1, 1125, 1125, false, 500, 1500); // it may be dropped
        assertThat(sample.error()).isEqualTo(new MeasuredError(1, 0));
        sample.record(1, 1126, 1126, true, 500, 1500); // it may not
        assertThat(sample.error()).isEqualTo(new MeasuredError(2, 0));
        assertThat(sample.missed()).isZero();
    }

    @Test
    void aRenewedIdMustBeHeldFromItsLastTimeOn() {
        ShadowSample sample = sample(1000, 10);
        sample.record(1, 100, 100, true, 0, 100);
        sample.record(2, 100, 100, true, 0, 100);
        sample.renew(1, 200, 200);
        sample.renew(1, 150, 150);
        sample.renew(3, 200, 200); // not known
        sample.record(1, 300, 300, true, 200, 300);
        sample.record(2, 300, 300, true, 200, 300);
        assertThat(sample.missed()).as("only the one that was renewed").isEqualTo(1);
    }

    @Test
    void aTimeThatIsNotBelievedNeedsNotBeHeld() {
        ShadowSample sample = sample(1000, 10);
        sample.record(1, 5_000, 500, true, 0, 0);
        sample.record(1, 5_100, 5_100, true, 0, 4_000);
        assertThat(sample.missed()).isZero();
        assertThat(sample.error()).isEqualTo(new MeasuredError(1, 0));
    }

    @Test
    void anIdThatIsNewAgainAndDroppedNeedsNotBeHeld() {
        ShadowSample sample = sample(1000, 10);
        sample.record(1, 0, 0, true, 0, 0);
        long later = 4 * WINDOW;
        sample.record(1, later, later, false, later - WINDOW, later);
        assertThat(sample.error()).isEqualTo(new MeasuredError(2, 1));
        sample.record(1, later + 1, later + 1, true, later - WINDOW, later);
        assertThat(sample.missed()).isZero();
    }

    @Test
    void aTimeAtTheEndsOfTimeClaimsNothing() {
        for (long time : new long[] {Long.MIN_VALUE, Long.MAX_VALUE}) {
            ShadowSample sample = sample(1000, 10);
            sample.record(1, time, time, true, Long.MIN_VALUE, 0);
            sample.record(1, 5, 5, true, Long.MIN_VALUE, Long.MIN_VALUE);
            assertThat(sample.missed()).isZero();
        }
    }

    @Test
    void aClockThatIsResetBeginsTheWaitForCountingAgain() {
        ShadowSample waits = sample(1000, 10);
        waits.restore(0, 0, 0, 0, 500, new long[0]);
        waits.clockReset();
        waits.record(1, 600, 600, true, 0, 600);
        assertThat(waits.error()).isEqualTo(MeasuredError.NONE);
        waits.record(2, 600, 600, true, 0, 600 + 3 * WINDOW);
        assertThat(waits.error().firsts()).isEqualTo(1);
        ShadowSample always = sample(1000, 10);
        always.clockReset();
        always.record(1, 600, 600, true, 0, 600);
        assertThat(always.error().firsts()).isEqualTo(1);
    }

    @Test
    void memoryIsBoundedAndTheRateFollows() {
        ShadowSample sample = sample(64, 1);
        for (long id = 0; id < 100_000; id++) {
            long hash = Hashing.hash(id);
            if (sample.contains(hash)) {
                sample.record(hash, id, id, true, 0, 0);
            }
        }
        assertThat(sample.size()).isBetween(16, 64);
        assertThat(sample.shift()).isBetween(10, 13);
        assertThat(sample.sizeInBytes()).isEqualTo(budget.reserved()).isLessThanOrEqualTo(2048);
        sample.close();
        assertThat(budget.reserved()).isZero();
    }

    @Test
    void expiredIdsMakeRoomBeforeTheRateFalls() {
        ShadowSample sample = sample(64, 1);
        for (long id = 0; id < 10_000; id++) {
            long now = id * WINDOW;
            sample.record(Hashing.hash(id), now, now, true, now - WINDOW, now);
        }
        assertThat(sample.shift()).isZero();
        assertThat(sample.error().firsts()).isEqualTo(10_000);
    }

    @Test
    void withoutMemoryItStaysSmall() {
        ShadowSample sample = ShadowSample.create(1000, 1, WINDOW, new MemoryBudget(256));
        for (long id = 0; id < 1000; id++) {
            long hash = Hashing.hash(id);
            if (sample.contains(hash)) {
                sample.record(hash, 0, 0, true, 0, 0);
            }
        }
        assertThat(sample.sizeInBytes()).isLessThanOrEqualTo(256);
        assertThat(sample.size()).isPositive();
    }

    @Test
    void aSampleThatBeganLateCountsNothingThatItDidNotWatchFromTheFirst() {
        ShadowSample sample = sample(1000, 10);
        ShadowSample off = sample(0, 10);
        sample.restore(0, 0, 0, 0, off.countsFrom(), off.entries());
        // Duplicates of what the filter held before, and new ids: they cannot be told apart.
        for (long id = 0; id < 100; id++) {
            sample.record(Hashing.hash(id), 10, 10, id % 2 == 0, 0, 10);
        }
        assertThat(sample.error()).isEqualTo(MeasuredError.NONE);
        long later = 10 + 3 * WINDOW;
        sample.record(Hashing.hash(1000), later, later, true, 0, later);
        sample.record(Hashing.hash(1001), later, later, false, 0, later);
        assertThat(sample.error()).isEqualTo(new MeasuredError(2, 1));
    }

    @Test
    void aSampleThatLosesAnEntryForWantOfMemoryStopsCountingUntilItKnowsAllAgain() {
        MemoryBudget small = new MemoryBudget(1 << 20);
        ShadowSample full = ShadowSample.create(1000, 10, WINDOW, budget);
        full.record(1, 0, 0, true, 0, 0);
        full.record(2, 0, 0, true, 0, 0);
        assertThat(small.tryReserve(1 << 20)).isTrue();
        ShadowSample restored = ShadowSample.create(1000, 10, WINDOW, small);
        restored.restore(0, 2, 0, 0, full.countsFrom(), full.entries());
        restored.record(1, 5, 5, false, 0, 5);
        restored.record(2, 5, 5, false, 0, 5);
        assertThat(restored.error()).isEqualTo(new MeasuredError(2, 0));
    }

    @Test
    void aSnapshotKeepsCountsAndEntries() {
        ShadowSample sample = sample(1000, 10);
        sample.record(1, -5, -5, true, Long.MIN_VALUE, 0);
        sample.record(2, 5, 5, false, 0, 0);

        ShadowSample restored = sample(1000, 10);
        restored.restore(sample.shift(), 2, 1, 0, sample.countsFrom(), sample.entries());
        restored.record(1, 6, 6, false, -1000, 0);
        restored.record(2, 7, 7, false, -1000, 0);
        restored.record(3, 8, 8, true, -1000, 0);

        assertThat(restored.error()).isEqualTo(new MeasuredError(3, 1));
        assertThat(restored.missed()).isZero();
    }

    /** They could not leave the sample, however coarse it becomes. */
    @Test
    void aSnapshotWithAnIdThatIsThereTooOftenOrAtNoTimeIsRefused() {
        long[] often = new long[2 * ShadowSample.MAX_TIMES + 2];
        for (int i = 1; i < often.length; i += 2) {
            often[i] = 5;
        }
        for (long[] entries : new long[][] {often, {7, 0}}) {
            ShadowSample sample = sample(1000, 10);
            assertThatThrownBy(() -> sample.restore(0, 0, 0, 0, 500, entries))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("without a time");
        }
    }

    /** Of an id that comes every two windows for ever, only so many times are kept. */
    @Test
    void anIdThatComesAgainAndAgainTakesNoMoreRoomThanAFew() {
        ShadowSample sample = sample(1000, 10);
        for (long time = 0; time < 1_000 * WINDOW; time += 2 * WINDOW) {
            sample.record(1, time, time, true, 0, 0);
        }
        assertThat(sample.size()).isEqualTo(ShadowSample.MAX_TIMES);
        assertThat(sample.error()).isEqualTo(new MeasuredError(500, 0));
        sample.record(1, 0, 0, false, 0, 0);
        assertThat(sample.error())
                .as("whether it was there is not known")
                .isEqualTo(new MeasuredError(500, 0));
    }

    /** Counts of different rates cannot be added. */
    @Test
    void whenTheRateFallsTheCountsAreThoseOfTheNewOne() {
        ShadowSample sample = sample(1 << 10, 1);
        long offered = 1 << 16;
        for (long id = 0; id < offered; id++) {
            long hash = Hashing.hash(id);
            // A quiet time without errors, then a busy one with many.
            boolean absent = id < offered / 2 || id % 4 != 0;
            if (sample.contains(hash)) {
                sample.record(hash, id, id, absent, 0, 0);
            }
        }
        double share = (double) sample.error().dropped() / sample.error().firsts();
        double truth = 1 / 8.0;
        double deviation = Math.sqrt(truth / sample.error().firsts());
        assertThat(share).isBetween(truth - 5 * deviation, truth + 5 * deviation);
    }

    /** Records and checkpoints can have any hashes: of those that share a slot it keeps some. */
    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void idsThatShareASlotTakeNoLongerThanOthers() {
        int count = 400_000;
        long[] entries = new long[2 * count];
        for (int i = 0; i < count; i++) {
            entries[2 * i] = SharedSlots.hash(i, 0xD6E8FEB86659FD93L);
            entries[2 * i + 1] = 5;
        }
        ShadowSample sample = ShadowSample.create(count, count, WINDOW, new MemoryBudget(1L << 30));
        sample.restore(0, 7, 0, 0, 500, entries);
        assertThat(sample.size()).isBetween(1_000, 10_000);
        assertThat(sample.error()).isEqualTo(new MeasuredError(7, 0));
        // Some ids were lost, so until the filter has forgotten them nothing is counted.
        sample.record(Hashing.hash(1), 600, 600, false, 0, 600);
        assertThat(sample.error()).isEqualTo(new MeasuredError(7, 0));
        sample.record(Hashing.hash(2), 4_000, 4_000, true, 0, 4_000);
        assertThat(sample.error()).isEqualTo(new MeasuredError(8, 0));
    }
}
