/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Makes ascending entries of many kinds, one for each key. */
final class RandomEntries {

    private RandomEntries() {}

    /** Hashes spread evenly over key groups from {@code firstKeyGroup} on. */
    static long[] even(
            SplittableRandom random, int count, int hashBits, int firstKeyGroup, int keyGroups) {
        long[] entries = new long[count];
        for (int i = 0; i < count; i++) {
            entries[i] = entry(random, hashBits, firstKeyGroup + random.nextInt(keyGroups));
        }
        return ascending(entries);
    }

    /** Half of the entries in one key group, half of the others in the next one, and so on. */
    static long[] skewed(SplittableRandom random, int count, int hashBits, int keyGroups) {
        long[] entries = new long[count];
        for (int i = 0; i < count; i++) {
            int rank = Math.min(keyGroups - 1, Integer.numberOfTrailingZeros(random.nextInt()));
            // Neighbours in size are far from each other in order.
            entries[i] = entry(random, hashBits, (int) (rank * 7919L % keyGroups));
        }
        return ascending(entries);
    }

    /** All hashes of {@code hashBits} bits, of as many key groups as it takes. */
    static long[] dense(int count, int hashBits) {
        long[] entries = new long[count];
        for (int i = 0; i < count; i++) {
            long hash = (i & (1L << hashBits) - 1) << (Long.SIZE - hashBits);
            entries[i] = Entries.of(i >>> hashBits, hash);
        }
        return entries;
    }

    /** Makes every entry a tombstone with a probability. */
    static long[] withTombstones(SplittableRandom random, long[] entries, double probability) {
        for (int i = 0; i < entries.length; i++) {
            if (random.nextDouble() < probability) {
                entries[i] |= Entries.TOMBSTONE;
            }
        }
        return entries;
    }

    static long entry(SplittableRandom random, int hashBits, int keyGroup) {
        return Entries.of(keyGroup, random.nextLong()) & Entries.mask(hashBits);
    }

    static long[] ascending(long[] entries) {
        return Arrays.stream(entries).sorted().distinct().toArray();
    }
}
