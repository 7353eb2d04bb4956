/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.memory;

import io.sluice.filter.annotation.Internal;

/**
 * Places in arrays that lookups will soon need, read together, so that the lookups do not wait for
 * memory one after the other.
 *
 * <p>The instructions between reads limit how many of them a core can have in flight: only reads
 * within a few hundred instructions overlap. So places are noted first, however many objects lie on
 * the way to them, and then read in a loop that does nothing else. Changes nothing.
 *
 * <p>Not thread-safe.
 */
@Internal
public final class Touches {

    /** Somewhat more than the cache lines that a core can ask for at once. */
    private static final int PLACES = 64;

    private long[][] arrays = new long[PLACES][];
    private final int[] first = new int[PLACES];
    private final int[] last = new int[PLACES];
    private int size;

    /** Depends on everything that was read, or the reads would be optimised away. */
    @SuppressWarnings("UnusedVariable")
    private long sum;

    /**
     * Notes a place of an array, by its first and its last word, which may be in two cache lines.
     *
     * @throws ArrayIndexOutOfBoundsException now or in {@link #read} if they are not in the array
     */
    public void add(long[] array, int firstWord, int lastWord) {
        if (size == PLACES) {
            read();
        }
        arrays[size] = array;
        first[size] = firstWord;
        last[size] = lastWord;
        size++;
    }

    /** Reads all places that were noted, and forgets them. */
    public void read() {
        long read = 0;
        for (int i = 0; i < size; i++) {
            long[] array = arrays[i];
            read ^= array[first[i]] ^ array[last[i]];
        }
        sum ^= read;
        // A new one: the collector does not track references in young arrays.
        arrays = new long[PLACES][];
        size = 0;
    }
}
