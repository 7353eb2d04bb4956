/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue.code;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Finds the greedy sequence of {@link GreedyXorCode}: each number is the smallest one that is not a
 * sum (XOR) of one, two or three of those before it. O(n^3) steps for n numbers. Not thread-safe.
 */
public final class GreedySearch {

    private int[] found = new int[64];
    private int size;

    /** Sums of one and of two, in the order in which they arose. */
    private int[] sums = new int[1024];

    private int sumCount;

    private final BitSet excluded = new BitSet();
    private long steps;

    /** The first {@code count} numbers. */
    int[] first(int count) {
        while (size < count) {
            next();
        }
        return Arrays.copyOf(found, count);
    }

    /** The next number. */
    public int next() {
        int next = excluded.nextClearBit(1);
        int before = sumCount;
        sums = ensure(sums, before + size + 1);
        for (int i = 0; i < size; i++) {
            sums[sumCount++] = next ^ found[i];
        }
        sums[sumCount++] = next;
        // All sums of at most three with the new number in them: the number alone, and with a sum
        // of one or two of the others.
        for (int i = 0; i < before; i++) {
            excluded.set(next ^ sums[i]);
        }
        steps += before;
        excluded.set(next);
        found = ensure(found, size + 1);
        found[size++] = next;
        return next;
    }

    /** Sums excluded so far: where the time goes. */
    long steps() {
        return steps;
    }

    private static int[] ensure(int[] array, int length) {
        return length <= array.length
                ? array
                : Arrays.copyOf(array, Math.max(length, 2 * array.length));
    }
}
