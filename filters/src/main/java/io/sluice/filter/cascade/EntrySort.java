/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.Arrays;

/**
 * Sorts entries, and tells where each was: two rounds of a radix sort by the bits in which they
 * differ most, then insertion sort for the few that are still out of order. O(n) for uniform
 * hashes.
 *
 * <p>Keeps its arrays. Not thread-safe.
 */
final class EntrySort {

    private static final int DIGIT_BITS = 11;

    private static final int DIGITS = 1 << DIGIT_BITS;

    private final int[] low = new int[DIGITS];
    private final int[] high = new int[DIGITS];
    private final long[] otherEntries;
    private final int[] otherPlaces;

    /**
     * @param most the most entries that are sorted at once
     */
    EntrySort(int most) {
        otherEntries = new long[most];
        otherPlaces = new int[most];
    }

    /** Sorts the first {@code count} entries, and their places with them. */
    void sort(long[] entries, int[] places, int count) {
        long least = Long.MAX_VALUE;
        long greatest = 0;
        for (int i = 0; i < count; i++) {
            least = Math.min(least, entries[i]);
            greatest = Math.max(greatest, entries[i]);
        }
        int bits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, greatest - least));
        int shift = Math.max(0, bits - 2 * DIGIT_BITS);
        Arrays.fill(low, 0);
        Arrays.fill(high, 0);
        for (int i = 0; i < count; i++) {
            int digits = (int) ((entries[i] - least) >>> shift);
            low[digits & (DIGITS - 1)]++;
            high[digits >>> DIGIT_BITS]++;
        }
        int before = 0;
        int beforeHigh = 0;
        for (int digit = 0; digit < DIGITS; digit++) {
            int n = low[digit];
            low[digit] = before;
            before += n;
            int m = high[digit];
            high[digit] = beforeHigh;
            beforeHigh += m;
        }
        for (int i = 0; i < count; i++) {
            int at = low[(int) ((entries[i] - least) >>> shift) & (DIGITS - 1)]++;
            otherEntries[at] = entries[i];
            otherPlaces[at] = places[i];
        }
        for (int i = 0; i < count; i++) {
            int at = high[(int) ((otherEntries[i] - least) >>> shift) >>> DIGIT_BITS]++;
            entries[at] = otherEntries[i];
            places[at] = otherPlaces[i];
        }
        insert(entries, places, count);
    }

    private static void insert(long[] entries, int[] places, int count) {
        for (int i = 1; i < count; i++) {
            long entry = entries[i];
            int place = places[i];
            int at = i;
            while (at > 0 && entries[at - 1] > entry) {
                entries[at] = entries[at - 1];
                places[at] = places[at - 1];
                at--;
            }
            entries[at] = entry;
            places[at] = place;
        }
    }
}
