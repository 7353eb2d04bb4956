/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.memory;

import io.sluice.filter.annotation.Internal;

/**
 * Reads memory that lookups will soon need, so that the lookups do not wait for it one after the
 * other. Changes nothing.
 *
 * <p>Callers that get at the memory in a short loop read it themselves and hand over the result:
 * {@link #keep}. Others note places in arrays, which are then read together: {@link #add}, {@link
 * #read}. The instructions between reads limit how many of them a core can have in flight: only
 * reads within a few hundred instructions overlap. So places are noted first, however many objects
 * lie on the way to them, and then read in a loop that does nothing else.
 *
 * <p>Not thread-safe.
 */
@Internal
public final class Touches {

    /** Somewhat more than the cache lines that a core can ask for at once. */
    private static final int PLACES = 64;

    /** Places that were noted. The arrays are empty until the first one is. */
    private long[][] arrays = {};

    private int[] first = {};
    private int[] last = {};
    private int size;

    /** Depends on everything that was read, or the reads would be optimised away. */
    @SuppressWarnings("UnusedVariable")
    private long sum;

    /**
     * Takes what the caller has read, so that the compiler cannot drop the reads.
     *
     * @param read depends on everything that was read; a meaningless number
     */
    public void keep(long read) {
        sum ^= read;
    }

    /**
     * Notes a place of an array, by its first and its last word, which may be in two cache lines.
     *
     * @throws ArrayIndexOutOfBoundsException now or in {@link #read} if they are not in the array
     */
    public void add(long[] array, int firstWord, int lastWord) {
        if (size == first.length) {
            makeRoom();
        }
        arrays[size] = array;
        first[size] = firstWord;
        last[size] = lastWord;
        size++;
    }

    private void makeRoom() {
        read();
        if (first.length == 0) {
            first = new int[PLACES];
            last = new int[PLACES];
        }
    }

    /** Reads all places that were noted, and forgets them. */
    public void read() {
        long read = 0;
        for (int i = 0; i < size; i++) {
            long[] array = arrays[i];
            read ^= array[first[i]] ^ array[last[i]];
        }
        keep(read);
        // A new one: the collector does not track references in young arrays.
        arrays = new long[PLACES][];
        size = 0;
    }
}
