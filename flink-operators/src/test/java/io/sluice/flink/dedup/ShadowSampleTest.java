/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.MeasuredError;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.window.MemoryBudget;
import org.junit.jupiter.api.Test;

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
        sample.record(1, 0, true, 0, 0); // new
        sample.record(1, 1, false, 0, 0); // its duplicate
        sample.record(2, 2, false, 0, 0); // new, and dropped
        sample.record(2, 3, false, 0, 0); // its duplicate, no second loss
        assertThat(sample.error()).isEqualTo(new MeasuredError(2, 1));
        assertThat(sample.missed()).isZero();
    }

    @Test
    void noticesWhatTheFilterForgotTooEarly() {
        ShadowSample sample = sample(1000, 10);
        sample.record(1, 100, true, 0, 0);
        sample.record(1, 200, true, 100, 1100);
        assertThat(sample.missed()).isEqualTo(1);
    }

    @Test
    void anIdThatWasDroppedNeedsNotBeHeld() {
        ShadowSample sample = sample(1000, 10);
        sample.record(1, 100, false, 0, 0); // dropped, so the filter did not take it
        sample.record(1, 200, true, 0, 0); // and may see it as new later
        assertThat(sample.missed()).isZero();
        sample.record(1, 300, true, 0, 0); // but now it had to hold it
        assertThat(sample.missed()).isEqualTo(1);
    }

    @Test
    void idsOutOfTheWindowSayNothingUntilTheyAreForgottenForSure() {
        ShadowSample sample = sample(1000, 10);
        sample.record(1, 0, true, Long.MIN_VALUE, 0);
        sample.record(1, 1500, false, 500, 1500); // still held, though it need not be
        assertThat(sample.error()).isEqualTo(new MeasuredError(1, 0));
        sample.record(1, 5000, true, 4000, 5000); // three windows later it is new again
        assertThat(sample.error()).isEqualTo(new MeasuredError(2, 0));
        assertThat(sample.missed()).isZero();
    }

    @Test
    void memoryIsBoundedAndTheRateFollows() {
        ShadowSample sample = sample(64, 1);
        for (long id = 0; id < 100_000; id++) {
            long hash = Hashing.hash(id);
            if (sample.contains(hash)) {
                sample.record(hash, id, true, 0, 0);
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
            sample.record(Hashing.hash(id), now, true, now - WINDOW, now);
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
                sample.record(hash, 0, true, 0, 0);
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
            sample.record(Hashing.hash(id), 10, id % 2 == 0, 0, 10);
        }
        assertThat(sample.error()).isEqualTo(MeasuredError.NONE);
        long later = 10 + 3 * WINDOW;
        sample.record(Hashing.hash(1000), later, true, 0, later);
        sample.record(Hashing.hash(1001), later, false, 0, later);
        assertThat(sample.error()).isEqualTo(new MeasuredError(2, 1));
    }

    @Test
    void aSampleThatLosesAnEntryForWantOfMemoryStopsCountingUntilItKnowsAllAgain() {
        MemoryBudget small = new MemoryBudget(1 << 20);
        ShadowSample full = ShadowSample.create(1000, 10, WINDOW, budget);
        full.record(1, 0, true, 0, 0);
        full.record(2, 0, true, 0, 0);
        assertThat(small.tryReserve(1 << 20)).isTrue();
        ShadowSample restored = ShadowSample.create(1000, 10, WINDOW, small);
        restored.restore(0, 2, 0, 0, full.countsFrom(), full.entries());
        restored.record(1, 5, false, 0, 5);
        restored.record(2, 5, false, 0, 5);
        assertThat(restored.error()).isEqualTo(new MeasuredError(2, 0));
    }

    @Test
    void aSnapshotKeepsCountsAndEntries() {
        ShadowSample sample = sample(1000, 10);
        sample.record(1, -5, true, Long.MIN_VALUE, 0);
        sample.record(2, 5, false, 0, 0);

        ShadowSample restored = sample(1000, 10);
        restored.restore(sample.shift(), 2, 1, 0, sample.countsFrom(), sample.entries());
        restored.record(1, 6, false, -1000, 0);
        restored.record(2, 7, false, -1000, 0);
        restored.record(3, 8, true, -1000, 0);

        assertThat(restored.error()).isEqualTo(new MeasuredError(3, 1));
        assertThat(restored.missed()).isZero();
    }
}
