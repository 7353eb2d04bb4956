/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Merges against a map that the inputs are put into, oldest first. */
class EntryMergeTest {

    private final SplittableRandom random = Seeds.random();

    /** Entries of an array, a few at a time. */
    private final class ArrayCursor implements EntryCursor {
        private final long[] entries;
        private final int hashBits;
        private final int most;
        private int at;
        private boolean closed;

        private ArrayCursor(long[] entries, int hashBits, int most) {
            this.entries = entries;
            this.hashBits = hashBits;
            this.most = most;
        }

        @Override
        public int next(long[] into) {
            int n = Math.min(Math.min(into.length, entries.length - at), 1 + random.nextInt(most));
            System.arraycopy(entries, at, into, 0, n);
            at += n;
            return n;
        }

        @Override
        public int hashBits() {
            return hashBits;
        }

        @Override
        public long expectedEntries() {
            return random.nextInt(1_000);
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private void check(int inputs, int count, int batch, int lowestBits, int highestBits)
            throws IOException {
        List<ArrayCursor> newestFirst = new ArrayList<>();
        int hashBits = Entries.MAX_HASH_BITS;
        for (int i = 0; i < inputs; i++) {
            int bits = random.nextInt(lowestBits, highestBits + 1);
            int size = random.nextInt(count + 1) >>> random.nextInt(10);
            long[] entries = RandomEntries.even(random, size, bits, 3, 4);
            double tombstones = random.nextDouble();
            RandomEntries.withTombstones(random, entries, tombstones);
            newestFirst.add(new ArrayCursor(entries, bits, batch));
            hashBits = Math.min(hashBits, bits);
        }
        for (boolean drop : new boolean[] {false, true}) {
            newestFirst.forEach(input -> input.at = 0);
            EntryCursor merged = EntryMerge.of(newestFirst, drop);
            assertThat(merged.hashBits()).isEqualTo(hashBits);
            long[] expected = model(newestFirst, hashBits, drop);
            assertThat(LevelFiles.readAll(merged, 1 + random.nextInt(20_000))).isEqualTo(expected);
            assertThat(newestFirst).allMatch(input -> input.closed);
        }
    }

    private static long[] model(List<ArrayCursor> newestFirst, int hashBits, boolean drop) {
        TreeMap<Long, Long> all = new TreeMap<>();
        for (int i = newestFirst.size() - 1; i >= 0; i--) {
            TreeMap<Long, Long> one = new TreeMap<>();
            for (long entry : newestFirst.get(i).entries) {
                long cut = entry & Entries.mask(hashBits);
                // If keys of one input become equal, one that is present is enough.
                one.merge(cut | Entries.TOMBSTONE, cut, Math::min);
            }
            all.putAll(one);
        }
        return all.values().stream()
                .mapToLong(Long::longValue)
                .filter(entry -> !drop || !Entries.isTombstone(entry))
                .toArray();
    }

    @Test
    void theNewestEntryOfEachKeyStays() throws IOException {
        for (int i = 0; i < 300; i++) {
            check(1 + random.nextInt(8), 3_000, 1 + random.nextInt(500), 9, 9);
        }
    }

    @Test
    void longInputs() throws IOException {
        for (int i = 0; i < 5; i++) {
            check(2 + random.nextInt(3), 100_000, 20_000, 22, 22);
        }
    }

    @Test
    void inputsOfDifferentLengthsGiveTheShortest() throws IOException {
        for (int i = 0; i < 300; i++) {
            check(1 + random.nextInt(6), 1_000, 1 + random.nextInt(300), 3, 14);
        }
        check(3, 1_000, 100, 1, 47);
    }

    @Test
    void aMergeOfNothingIsRefused() {
        assertThatThrownBy(() -> EntryMerge.of(List.of(), false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("newestFirst");
    }
}
