/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.MeasuredError;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.hash.SharedSlots;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Samples of ids that have times of their own. */
class EventTimeSampleTest {

    private static final long WINDOW = 1000;

    private final HeapMemory memory = new HeapMemory(1 << 17);

    private IdSample sample(int maxIds, long expected) {
        return IdSample.ofEventTime(maxIds, expected, WINDOW, memory);
    }

    private static void added(
            IdSample sample,
            long hash,
            long timestamp,
            long kept,
            boolean absent,
            long coveredSince,
            long clock) {
        sample.advanceTo(clock);
        sample.added(hash, timestamp, kept, absent, coveredSince);
    }

    private static void renewed(IdSample sample, long hash, long timestamp, long clock) {
        sample.advanceTo(clock);
        sample.renewed(hash, timestamp);
    }

    private static StoredSample stored(long firsts, long countsFrom, long... entries) {
        return new StoredSample(
                Long.MAX_VALUE,
                WINDOW,
                WINDOW / 8,
                Long.MIN_VALUE,
                countsFrom,
                firsts,
                0,
                0,
                0,
                entries);
    }

    @Test
    void choosesOneInTwoToTheShift() {
        IdSample sample = sample(1000, 16_000);
        assertThat(sample.oneIn()).isEqualTo(16);
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
        IdSample sample = sample(1000, 10);
        assertThat(sample.contains(0)).isTrue();
        assertThat(sample.contains(-1)).isTrue();
        assertThat(sample(0, 10).contains(0)).isFalse();
    }

    @Test
    void tellsFalseDuplicatesFromTrueOnes() {
        IdSample sample = sample(1000, 10);
        added(sample, 1, 0, 0, true, 0, 0); // new
        added(sample, 1, 1, 1, false, 0, 0); // its duplicate
        added(sample, 2, 2, 2, false, 0, 0); // new, and dropped
        added(sample, 2, 3, 3, false, 0, 0); // its duplicate, no second loss
        assertThat(sample.error()).isEqualTo(new MeasuredError(2, 1));
        assertThat(sample.missed()).isZero();
    }

    @Test
    void noticesWhatTheFilterForgotTooEarly() {
        IdSample sample = sample(1000, 10);
        added(sample, 1, 100, 100, true, 0, 0);
        added(sample, 1, 200, 200, true, 100, 1100);
        assertThat(sample.missed()).isEqualTo(1);
    }

    @Test
    void anIdThatWasDroppedNeedsNotBeHeld() {
        IdSample sample = sample(1000, 10);
        added(sample, 1, 100, 100, false, 0, 0); // dropped, so the filter did not take it
        added(sample, 1, 200, 200, true, 0, 0); // and may see it as new later
        assertThat(sample.missed()).isZero();
        added(sample, 1, 300, 300, true, 0, 0); // but now it had to hold it
        assertThat(sample.missed()).isEqualTo(1);
    }

    @Test
    void aRecordUpToASliceOutOfTheWindowSaysNothing() {
        IdSample sample = sample(1000, 10);
        added(sample, 1, 0, 0, true, Long.MIN_VALUE, 0);
        added(sample, 1, 1125, 1125, false, 500, 1500); // it may be dropped
        assertThat(sample.error()).isEqualTo(new MeasuredError(1, 0));
        added(sample, 1, 1126, 1126, true, 500, 1500); // it may not
        assertThat(sample.error()).isEqualTo(new MeasuredError(2, 0));
        assertThat(sample.missed()).isZero();
    }

    @Test
    void aRenewedIdMustBeHeldFromItsLastTimeOn() {
        IdSample sample = sample(1000, 10);
        added(sample, 1, 100, 100, true, 0, 100);
        added(sample, 2, 100, 100, true, 0, 100);
        renewed(sample, 1, 200, 200);
        renewed(sample, 1, 150, 150);
        renewed(sample, 3, 200, 200); // not known
        added(sample, 1, 300, 300, true, 200, 300);
        added(sample, 2, 300, 300, true, 200, 300);
        assertThat(sample.missed()).as("only the one that was renewed").isEqualTo(1);
    }

    @Test
    void aTimeThatIsNotBelievedNeedsNotBeHeld() {
        IdSample sample = sample(1000, 10);
        added(sample, 1, 5_000, 500, true, 0, 0);
        added(sample, 1, 5_100, 5_100, true, 0, 4_000);
        assertThat(sample.missed()).isZero();
        assertThat(sample.error()).isEqualTo(new MeasuredError(1, 0));
    }

    @Test
    void anIdThatIsNewAgainAndDroppedNeedsNotBeHeld() {
        IdSample sample = sample(1000, 10);
        added(sample, 1, 0, 0, true, 0, 0);
        long later = 4 * WINDOW;
        added(sample, 1, later, later, false, later - WINDOW, later);
        assertThat(sample.error()).isEqualTo(new MeasuredError(2, 1));
        added(sample, 1, later + 1, later + 1, true, later - WINDOW, later);
        assertThat(sample.missed()).isZero();
    }

    @Test
    void aTimeAtTheEndsOfTimeClaimsNothing() {
        for (long time : new long[] {Long.MIN_VALUE, Long.MAX_VALUE}) {
            IdSample sample = sample(1000, 10);
            added(sample, 1, time, time, true, Long.MIN_VALUE, 0);
            added(sample, 1, 5, 5, true, Long.MIN_VALUE, Long.MIN_VALUE);
            assertThat(sample.missed()).isZero();
        }
    }

    @Test
    void anIdAtTheEndsOfTimeIsKnownWhenItComesAgain() {
        for (long time : new long[] {Long.MIN_VALUE, Long.MAX_VALUE}) {
            IdSample sample = sample(1000, 10);
            added(sample, 1, time, time, true, Long.MIN_VALUE, 0);
            added(sample, 1, time, time, false, Long.MIN_VALUE, 0);
            assertThat(sample.error()).isEqualTo(new MeasuredError(1, 0));
        }
    }

    @Test
    void aClockThatIsResetBeginsTheWaitForCountingAgain() {
        IdSample waits = sample(1000, 10);
        waits.restore(stored(0, 500));
        waits.clockReset();
        added(waits, 1, 600, 600, true, 0, 600);
        assertThat(waits.error()).isEqualTo(MeasuredError.NONE);
        added(waits, 2, 600, 600, true, 0, 600 + 3 * WINDOW);
        assertThat(waits.error().firsts()).isEqualTo(1);
        IdSample always = sample(1000, 10);
        always.clockReset();
        added(always, 1, 600, 600, true, 0, 600);
        assertThat(always.error().firsts()).isEqualTo(1);
    }

    @Test
    void memoryIsBoundedAndTheRateFollows() {
        IdSample sample = sample(64, 1);
        for (long id = 0; id < 100_000; id++) {
            long hash = Hashing.hash(id);
            if (sample.contains(hash)) {
                added(sample, hash, id, id, true, 0, 0);
            }
        }
        assertThat(sample.size()).isBetween(16, 64);
        assertThat(sample.oneIn()).isBetween(1L << 10, 1L << 13);
        assertThat(sample.sizeInBytes())
                .isEqualTo(memory.lentWords() * Long.BYTES)
                .isLessThanOrEqualTo(2048);
        sample.close();
        assertThat(memory.lentWords()).isZero();
    }

    @Test
    void expiredIdsMakeRoomBeforeTheRateFalls() {
        IdSample sample = sample(64, 1);
        for (long id = 0; id < 10_000; id++) {
            long now = id * WINDOW;
            added(sample, Hashing.hash(id), now, now, true, now - WINDOW, now);
        }
        assertThat(sample.oneIn()).isEqualTo(1);
        assertThat(sample.error().firsts()).isEqualTo(10_000);
    }

    @Test
    void withoutMemoryItStaysSmall() {
        IdSample sample = IdSample.ofEventTime(1000, 1, WINDOW, new HeapMemory(32));
        for (long id = 0; id < 1000; id++) {
            long hash = Hashing.hash(id);
            if (sample.contains(hash)) {
                added(sample, hash, 0, 0, true, 0, 0);
            }
        }
        assertThat(sample.sizeInBytes()).isLessThanOrEqualTo(256);
        assertThat(sample.size()).isPositive();
    }

    @Test
    void aSampleThatBeganLateCountsNothingThatItDidNotWatchFromTheFirst() {
        IdSample sample = sample(1000, 10);
        IdSample off = sample(0, 10);
        sample.restore(off.stored());
        // Duplicates of what the filter held before, and new ids: they cannot be told apart.
        for (long id = 0; id < 100; id++) {
            added(sample, Hashing.hash(id), 10, 10, id % 2 == 0, 0, 10);
        }
        assertThat(sample.error()).isEqualTo(MeasuredError.NONE);
        long later = 10 + 3 * WINDOW;
        added(sample, Hashing.hash(1000), later, later, true, 0, later);
        added(sample, Hashing.hash(1001), later, later, false, 0, later);
        assertThat(sample.error()).isEqualTo(new MeasuredError(2, 1));
    }

    @Test
    void aSampleThatLosesAnEntryForWantOfMemoryStopsCountingUntilItKnowsAllAgain() {
        IdSample full = IdSample.ofEventTime(1000, 10, WINDOW, memory);
        added(full, 1, 0, 0, true, 0, 0);
        added(full, 2, 0, 0, true, 0, 0);
        IdSample restored = IdSample.ofEventTime(1000, 10, WINDOW, new HeapMemory(0));
        restored.restore(full.stored());
        added(restored, 1, 5, 5, false, 0, 5);
        added(restored, 2, 5, 5, false, 0, 5);
        assertThat(restored.error()).isEqualTo(MeasuredError.NONE);
    }

    @Test
    void aSnapshotKeepsCountsAndEntries() {
        IdSample sample = sample(1000, 10);
        added(sample, 1, -5, -5, true, Long.MIN_VALUE, 0);
        added(sample, 2, 5, 5, false, 0, 0);

        IdSample restored = sample(1000, 10);
        restored.restore(sample.stored());
        added(restored, 1, 6, 6, false, -1000, 0);
        added(restored, 2, 7, 7, false, -1000, 0);
        added(restored, 3, 8, 8, true, -1000, 0);

        assertThat(restored.error()).isEqualTo(new MeasuredError(3, 1));
        assertThat(restored.missed()).isZero();
    }

    /** They could not leave the sample, however coarse it becomes. */
    @Test
    void aSnapshotWithAnIdThatIsThereTooOftenIsRefused() {
        long[] often = new long[2 * IdSample.MAX_TIMES + 2];
        for (int i = 1; i < often.length; i += 2) {
            often[i] = 1;
        }
        IdSample sample = sample(1000, 10);
        assertThatThrownBy(() -> sample.restore(stored(0, 500, often)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("more than 16 times");
    }

    /** Of an id that comes every two windows for ever, only so many times are kept. */
    @Test
    void anIdThatComesAgainAndAgainTakesNoMoreRoomThanAFew() {
        IdSample sample = sample(1000, 10);
        for (long time = 0; time < 1_000 * WINDOW; time += 2 * WINDOW) {
            added(sample, 1, time, time, true, 0, 0);
        }
        assertThat(sample.size()).isEqualTo(IdSample.MAX_TIMES);
        assertThat(sample.error()).isEqualTo(new MeasuredError(500, 0));
        added(sample, 1, 0, 0, false, 0, 0);
        assertThat(sample.error())
                .as("whether it was there is not known")
                .isEqualTo(new MeasuredError(500, 0));
    }

    /** Counts of different rates cannot be added. */
    @Test
    void whenTheRateFallsTheCountsAreThoseOfTheNewOne() {
        IdSample sample = sample(1 << 10, 1);
        long offered = 1 << 16;
        for (long id = 0; id < offered; id++) {
            long hash = Hashing.hash(id);
            // A quiet time without errors, then a busy one with many.
            boolean absent = id < offered / 2 || id % 4 != 0;
            if (sample.contains(hash)) {
                added(sample, hash, id, id, absent, 0, 0);
            }
        }
        double share = (double) sample.error().dropped() / sample.error().firsts();
        double truth = 1 / 8.0;
        double deviation = Math.sqrt(truth / sample.error().firsts());
        assertThat(share).isBetween(truth - 5 * deviation, truth + 5 * deviation);
    }

    /** Records and checkpoints can have any hashes. */
    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void idsThatShareASlotTakeNoLongerThanOthers() {
        int count = 400_000;
        long[] entries = new long[2 * count];
        for (int i = 0; i < count; i++) {
            entries[2 * i] = SharedSlots.hash(i, 0xD6E8FEB86659FD93L);
            entries[2 * i + 1] = 5L << 4 | 1;
        }
        IdSample sample = IdSample.ofEventTime(count, count, WINDOW, new HeapMemory(1L << 27));
        sample.restore(stored(7, 500, entries));
        assertThat(sample.size()).isEqualTo(count);
        assertThat(sample.error()).isEqualTo(new MeasuredError(7, 0));
    }
}
