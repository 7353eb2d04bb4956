/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.management.ThreadMXBean;
import io.sluice.filter.MeasuredError;
import io.sluice.filter.Seeds;
import io.sluice.filter.hash.Hashing;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/** Samples of ids that expire by the filter's clock. */
class ClockSampleTest {

    private static final int KEY_GROUPS = 128;
    private static final long TTL = 1000;
    private static final long BUCKET = 125;

    private static IdSample sample(int oneIn, int slots) {
        return sample(oneIn, slots, 0, 0);
    }

    private static IdSample sample(int oneIn, int slots, long ttl, long bucket) {
        return IdSample.ofClock(new HeapMemory(), slots, oneIn, ttl, bucket);
    }

    private static int keyGroup(long key) {
        return Math.floorMod(key, KEY_GROUPS);
    }

    private static void ask(IdSample sample, long key, boolean seen) {
        long hash = Hashing.hash(key);
        if (sample.contains(hash)) {
            sample.asked(keyGroup(key), hash, seen);
        }
    }

    private static void change(IdSample sample, long key) {
        long hash = Hashing.hash(key);
        if (sample.contains(hash)) {
            sample.changed(keyGroup(key), hash);
        }
    }

    private static IdSample restored(IdSample into, IdSample... from) {
        for (IdSample part : from) {
            into.restore(part.stored());
        }
        return into;
    }

    @Test
    void itChoosesOneInSoMany() {
        for (int oneIn : new int[] {1, 2, 3, 64, 1000}) {
            IdSample sample = sample(oneIn, 8);
            long chosen = 0;
            for (long key = 0; key < 100_000; key++) {
                chosen += sample.contains(Hashing.hash(key)) ? 1 : 0;
            }
            double mean = 100_000.0 / oneIn;
            assertThat((double) chosen)
                    .isBetween(mean - 5 * Math.sqrt(mean), mean + 5 * Math.sqrt(mean));
            assertThat(sample.oneIn()).isEqualTo(oneIn);
        }
    }

    @Test
    void noneChoosesNothingAndSaysNothing() {
        IdSample none = IdSample.none();
        assertThat(none.contains(0)).isFalse();
        assertThat(none.oneIn()).isZero();
        assertThat(none.error()).isEqualTo(MeasuredError.NONE);
        none.advanceTo(5);
        none.setTimeToLive(1, 1);
        none.close();
    }

    @Test
    void theFirstAnswerForAKeyCountsAndNoOther() {
        IdSample sample = sample(1, 64);
        ask(sample, 1, false); // new
        change(sample, 1);
        ask(sample, 1, true); // its duplicate
        ask(sample, 2, true); // new, and reported
        ask(sample, 2, true);
        ask(sample, 3, false); // new, and never marked
        ask(sample, 3, false);
        assertThat(sample.error()).isEqualTo(new MeasuredError(3, 1));
    }

    @Test
    void aKeyThatWasMarkedOrClearedBeforeItIsAskedForDoesNotCount() {
        IdSample sample = sample(1, 64);
        change(sample, 1);
        ask(sample, 1, true);
        assertThat(sample.error()).isEqualTo(MeasuredError.NONE);
    }

    @Test
    void keysWithOneHashInDifferentKeyGroupsAreDifferent() {
        IdSample sample = sample(1, 64);
        sample.asked(0, 7, false);
        sample.asked(1, 7, true);
        sample.asked(1, 7, true);
        assertThat(sample.error()).isEqualTo(new MeasuredError(2, 1));
    }

    /** Late keys are reported more often than early ones; each contributes to the measurement. */
    @Test
    void aFullTableWatchesFewerKeysAndForgetsWhatTheOthersCounted() {
        IdSample sample = sample(1, 1 << 12);
        int keys = 400_000;
        for (long key = 0; key < keys; key++) {
            // The probability rises from 0 to 0.2.
            ask(sample, key, Math.floorMod(Hashing.hash(key + 77), 1_000_000) < key / 2);
        }
        assertThat(sample.oneIn()).isBetween(64L, 512L);
        MeasuredError error = sample.error();
        assertThat(error.firsts()).isBetween(1L << 10, 3L << 10);
        // Five standard deviations.
        assertThat(error.lower(5)).isLessThan(0.1);
        assertThat(error.upper(5)).isGreaterThan(0.1);
        assertThat(error.rate()).isGreaterThan(0.06);
    }

    @Test
    void aKeyIsNewAgainABucketAfterItsTimeAndSaysNothingBefore() {
        IdSample sample = sample(1, 64, TTL, BUCKET);
        sample.advanceTo(10);
        ask(sample, 1, false);
        change(sample, 1);
        sample.advanceTo(10 + TTL);
        ask(sample, 1, true);
        sample.advanceTo(10 + TTL + BUCKET - 1);
        ask(sample, 1, true);
        assertThat(sample.error()).isEqualTo(new MeasuredError(1, 0));
        sample.advanceTo(10 + TTL + BUCKET);
        ask(sample, 1, true);
        assertThat(sample.error()).isEqualTo(new MeasuredError(2, 1));
    }

    @Test
    void aMarkBeginsTheTimeAgainAndALookupDoesNot() {
        IdSample sample = sample(1, 64, TTL, BUCKET);
        sample.advanceTo(0);
        for (long key = 1; key <= 2; key++) {
            ask(sample, key, false);
            change(sample, key);
        }
        sample.advanceTo(500);
        change(sample, 1);
        ask(sample, 2, true);
        sample.advanceTo(TTL + BUCKET);
        ask(sample, 1, true);
        ask(sample, 2, false);
        assertThat(sample.error()).isEqualTo(new MeasuredError(3, 0));
        sample.advanceTo(500 + TTL + BUCKET);
        ask(sample, 1, false);
        assertThat(sample.error()).isEqualTo(new MeasuredError(4, 0));
    }

    @Test
    void whatExpiredKeysCountedIsKeptAndTheirRoomIsUsed() {
        IdSample sample = sample(1, 64, TTL, BUCKET);
        for (long key = 0; key < 10_000; key++) {
            sample.advanceTo(key * TTL / 10);
            ask(sample, key, key % 4 == 0);
        }
        assertThat(sample.oneIn()).isEqualTo(1);
        assertThat(sample.error()).isEqualTo(new MeasuredError(10_000, 2500));
    }

    @Test
    void aRestoreGoesOn() {
        IdSample sample = sample(1, 64);
        ask(sample, 1, false);
        ask(sample, 2, true);
        change(sample, 3);
        IdSample restored = restored(sample(1, 64), sample);
        for (long key = 1; key <= 3; key++) {
            ask(restored, key, true);
        }
        ask(restored, 4, false);
        assertThat(restored.error()).isEqualTo(new MeasuredError(3, 1));
    }

    @Test
    void partsTakeTheirKeyGroupsAndOneOfThemWhatEarlierKeysCounted() {
        IdSample whole = sample(1, 1 << 10, TTL, BUCKET);
        whole.advanceTo(0);
        for (long key = 0; key < 300; key++) {
            ask(whole, key, key % 3 == 0);
        }
        whole.advanceTo(10 * TTL);
        for (long key = 0; key < 150; key++) {
            ask(whole, key, key % 3 == 0);
        }
        MeasuredError all = new MeasuredError(450, 150);
        assertThat(whole.error()).isEqualTo(all);

        List<IdSample> parts = new ArrayList<>();
        MeasuredError sum = MeasuredError.NONE;
        for (int i = 0; i < 4; i++) {
            IdSample part = sample(1, 1 << 10, TTL, BUCKET);
            int first = i * 32;
            IntPredicate groups = group -> group >= first && group < first + 32;
            part.restore(whole.stored(), groups, groups.test(0));
            parts.add(part);
            sum = sum.plus(part.error());
        }
        assertThat(sum).isEqualTo(all);

        IdSample again = sample(1, 1 << 10, TTL, BUCKET);
        for (int i = 0; i < 4; i++) {
            again.restore(parts.get(i).stored());
        }
        assertThat(again.error()).isEqualTo(all);
        for (long key = 0; key < 150; key++) {
            ask(again, key, true);
        }
        assertThat(again.error()).isEqualTo(all);
    }

    @Test
    void theCoarsestOfThePartsDecidesWhatIsWatched() {
        IdSample fine = sample(1, 1 << 12);
        IdSample coarse = sample(8, 1 << 12);
        for (long key = 0; key < 2000; key++) {
            ask(fine, key, true);
            ask(coarse, key + 2000, false);
        }
        IdSample joined = restored(sample(4, 1 << 12), fine, coarse);
        assertThat(joined.oneIn()).isEqualTo(8);
        MeasuredError error = joined.error();
        assertThat(error.firsts()).isBetween(400L, 600L);
        assertThat(error.rate()).isBetween(0.4, 0.6);
    }

    @Test
    void aSmallerTableKeepsAnEvenPart() {
        IdSample large = sample(1, 1 << 14);
        for (long key = 0; key < 10_000; key++) {
            ask(large, key, key % 4 == 0);
        }
        IdSample small = restored(sample(1, 1 << 10), large);
        assertThat(small.oneIn()).isGreaterThan(8);
        assertThat(small.error().lower(5)).isLessThan(0.25);
        assertThat(small.error().upper(5)).isGreaterThan(0.25);
        MeasuredError before = small.error();
        for (long key = 0; key < 10_000; key++) {
            ask(small, key, true);
        }
        assertThat(small.error()).isEqualTo(before);
    }

    @Test
    void whatBeginsLateCountsOnceAllHasExpiredThatItDoesNotKnow() {
        IdSample sample = sample(1, 64, TTL, BUCKET);
        sample.beginsLate();
        sample.advanceTo(100);
        ask(sample, 1, true);
        sample.advanceTo(100 + TTL + BUCKET - 1);
        ask(sample, 2, true);
        assertThat(sample.error()).isEqualTo(MeasuredError.NONE);
        sample.advanceTo(100 + TTL + BUCKET);
        ask(sample, 3, false);
        assertThat(sample.error()).isEqualTo(new MeasuredError(1, 0));
    }

    @Test
    void withoutATimeToLiveWhatBeginsLateNeverCounts() {
        IdSample sample = sample(1, 64);
        sample.beginsLate();
        ask(sample, 1, true);
        IdSample restored = restored(sample(1, 64), sample);
        ask(restored, 2, true);
        assertThat(restored.error()).isEqualTo(MeasuredError.NONE);
    }

    @Test
    void watchedKeysBeginToLiveWhenATimeToLiveIsSwitchedOn() {
        IdSample sample = sample(1, 64);
        change(sample, 1);
        IdSample restored = restored(sample(1, 64, TTL, BUCKET), sample);
        restored.advanceTo(5000);
        restored.advanceTo(5000 + TTL + BUCKET - 1);
        ask(restored, 1, true);
        assertThat(restored.error()).isEqualTo(MeasuredError.NONE);
        restored.advanceTo(5000 + TTL + BUCKET);
        ask(restored, 1, false);
        assertThat(restored.error()).isEqualTo(new MeasuredError(1, 0));
    }

    @Test
    void whatWasNotKnownStaysUnknownWhenKeysNoLongerExpire() {
        IdSample sample = sample(1, 64, TTL, BUCKET);
        sample.beginsLate();
        sample.advanceTo(0);
        IdSample lasting = restored(sample(1, 64), sample);
        ask(lasting, 1, true);
        assertThat(lasting.error()).isEqualTo(MeasuredError.NONE);
        // Switched on again, it lives for the new time.
        IdSample brief = restored(sample(1, 64, TTL, BUCKET), lasting);
        brief.advanceTo(10 * TTL);
        ask(brief, 2, true);
        assertThat(brief.error()).isEqualTo(MeasuredError.NONE);
        brief.advanceTo(11 * TTL + BUCKET);
        ask(brief, 3, true);
        assertThat(brief.error()).isEqualTo(new MeasuredError(1, 1));
    }

    @Test
    void timesThatNoClockTellsAreNotMeasured() {
        IdSample sample = sample(1, 64, TTL, BUCKET);
        sample.advanceTo(0);
        ask(sample, 1, false);
        sample.advanceTo(Long.MAX_VALUE);
        ask(sample, 2, true);
        assertThat(sample.error()).isEqualTo(new MeasuredError(1, 0));
    }

    @Test
    void memoryIsGivenBackOnce() {
        HeapMemory memory = new HeapMemory();
        IdSample sample = IdSample.ofClock(memory, 8, 1, 0, 0);
        assertThat(memory.lentWords()).isEqualTo(16);
        ask(sample, 1, false);
        sample.close();
        sample.close();
        assertThat(memory.lentWords()).isZero();
        assertThat(sample.contains(Hashing.hash(1))).isFalse();
        assertThat(sample.error()).isEqualTo(new MeasuredError(1, 0));
    }

    @Test
    void nothingIsAllocatedPerKey() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        IdSample sample = sample(4, 1 << 10, TTL, BUCKET);
        ask(sample, -1, false);
        change(sample, -2);
        long before = threads.getCurrentThreadAllocatedBytes();
        for (long key = 0; key < 100_000; key++) {
            sample.advanceTo(key / 100);
            ask(sample, key, false);
            change(sample, key);
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(sample.oneIn()).isGreaterThan(4);
        assertThat(allocated).as("bytes for 100 000 keys").isLessThan(10_000);
    }

    /** Records that no sample has written, with right checksums. */
    @Test
    void anyRecordsAreReadAsSomethingThatWorks() {
        for (int i = 0; i < 50; i++) {
            SplittableRandom random = new SplittableRandom(Seeds.seed(i));
            long[] entries = random.longs(400).toArray();
            for (int at = 1; at < entries.length; at += 2) {
                entries[at] |= 3; // used, and counted
            }
            entries[2] = entries[0];
            entries[3] = entries[1];
            StoredSample stored =
                    new StoredSample(
                            random.nextLong() >>> 1 | 1,
                            random.nextLong() >>> 1,
                            random.nextLong() >>> 1,
                            random.nextLong(),
                            random.nextLong(),
                            random.nextInt(1000),
                            0,
                            0,
                            15,
                            entries);
            IdSample sample = sample(1, 64, i % 2 * TTL, i % 2 * BUCKET);
            sample.restore(stored);
            sample.advanceTo(random.nextLong());
            for (long key = 0; key < 1000; key++) {
                sample.advanceTo(key);
                ask(sample, key, random.nextBoolean());
                change(sample, random.nextInt(1000));
            }
            MeasuredError error = sample.error();
            assertThat(error.dropped()).isBetween(0L, error.firsts());
        }
    }

    @Test
    void aSampleOfAnotherKindIsRefused() {
        IdSample other = IdSample.ofEventTime(64, 1, TTL, new HeapMemory());
        IdSample sample = sample(1, 64);
        StoredSample stored = other.stored();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> sample.restore(stored))
                .withMessageContaining("another kind");
    }

    @Test
    void withoutMemoryThereIsNoSample() {
        IdSample sample = IdSample.ofClock(new HeapMemory(15), 8, 1, 0, 0);
        assertThat(sample.oneIn()).isZero();
        assertThat(sample.sizeInBytes()).isZero();
    }

    @Test
    void whatWasSwitchedOffBeginsLateWhenItIsSwitchedOn() {
        IdSample sample = restored(sample(1, 64), IdSample.none());
        ask(sample, 1, true);
        assertThat(sample.error()).isEqualTo(MeasuredError.NONE);
    }

    /** Nobody counts so far; but what is read can be used, and read again when it was written. */
    @Test
    void samplesThatCountedTheMostCanBeStoredTogether() {
        StoredSample most =
                new StoredSample(
                        Long.MAX_VALUE,
                        0,
                        0,
                        Long.MIN_VALUE,
                        Long.MIN_VALUE,
                        StoredSample.MAX_COUNT,
                        StoredSample.MAX_COUNT,
                        StoredSample.MAX_COUNT,
                        15,
                        new long[0]);
        IdSample sample = sample(1, 64, 0, 0);
        sample.restore(most);
        sample.restore(most);
        assertThat(sample.stored().earlierFirsts()).isEqualTo(StoredSample.MAX_COUNT);
        assertThat(sample.stored().earlierDropped()).isEqualTo(StoredSample.MAX_COUNT);
        assertThat(sample.stored().missed()).isEqualTo(StoredSample.MAX_COUNT);
    }

    /** A filter that drops what has expired at an earlier time may hold it until then. */
    @Test
    void whatTheFilterStillHoldsIsNotNew() {
        IdSample sample = sample(1, 64, TTL, BUCKET);
        sample.advanceTo(0, 0);
        ask(sample, 1, false);
        sample.advanceTo(5 * TTL, TTL + BUCKET - 1);
        ask(sample, 1, true);
        assertThat(sample.error()).isEqualTo(new MeasuredError(1, 0));
        sample.advanceTo(10 * TTL, Long.MIN_VALUE);
        ask(sample, 1, true);
        assertThat(sample.error()).isEqualTo(new MeasuredError(1, 0));
        sample.advanceTo(10 * TTL, TTL + BUCKET);
        ask(sample, 1, true);
        assertThat(sample.error()).as("it is dropped").isEqualTo(new MeasuredError(2, 1));
    }
}
