/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.rateless;

import java.util.Arrays;

/**
 * Elements on their way through the symbols: each with the index of the next symbol that it is part
 * of, in a binary heap with the least index on top. So a symbol costs O(log n) for each element
 * that is part of it, and nothing for the others. 36 bytes an element. Not thread-safe.
 */
final class CodedElements {

    private long[] hashes = new long[16];
    private long[] copies = new long[16];
    private int[] checks = new int[16];
    private long[] states = new long[16];
    private int[] nexts = new int[16];

    /** Numbers of elements. */
    private int[] heap = new int[16];

    private int size;

    int size() {
        return size;
    }

    long hash(int element) {
        return hashes[element];
    }

    long copies(int element) {
        return copies[element];
    }

    /**
     * Adds an element. O(1) amortised if no element has a smaller next index, else O(log n).
     *
     * @param keyed its keyed hash
     * @param state of its random numbers
     * @param next the index from which on it is part of symbols
     */
    void add(long hash, long multiplicity, long keyed, long state, int next) {
        if (size == hashes.length) {
            int capacity = 2 * size;
            hashes = Arrays.copyOf(hashes, capacity);
            copies = Arrays.copyOf(copies, capacity);
            checks = Arrays.copyOf(checks, capacity);
            states = Arrays.copyOf(states, capacity);
            nexts = Arrays.copyOf(nexts, capacity);
            heap = Arrays.copyOf(heap, capacity);
        }
        hashes[size] = hash;
        copies[size] = multiplicity;
        checks[size] = (int) SymbolArray.check(keyed);
        states[size] = state;
        nexts[size] = next;
        heap[size] = size;
        siftUp(size);
        size++;
    }

    /**
     * Adds to a symbol what the elements have in it, or subtracts it. Indexes must ascend by 1 from
     * one call to the next.
     *
     * @param index of the symbol
     * @param symbols where it is
     * @param at its place there
     * @param sign 1 to add, -1 to subtract
     */
    void apply(int index, SymbolArray symbols, int at, int sign) {
        while (size > 0 && nexts[heap[0]] == index) {
            int element = heap[0];
            long check = checks[element] & 0xffffffffL;
            symbols.add(at, hashes[element], check, sign * copies[element]);
            nexts[element] = SymbolIndexes.after(index, states[element]);
            states[element] = SymbolIndexes.advance(states[element]);
            siftDown();
        }
    }

    private void siftUp(int from) {
        int element = heap[from];
        int at = from;
        while (at > 0) {
            int parent = (at - 1) >>> 1;
            if (nexts[heap[parent]] <= nexts[element]) {
                break;
            }
            heap[at] = heap[parent];
            at = parent;
        }
        heap[at] = element;
    }

    /** Moves the topmost element to its place. */
    private void siftDown() {
        int element = heap[0];
        int at = 0;
        for (int child = 1; child < size; child = 2 * at + 1) {
            if (child + 1 < size && nexts[heap[child + 1]] < nexts[heap[child]]) {
                child++;
            }
            if (nexts[element] <= nexts[heap[child]]) {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = element;
    }
}
