/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import io.sluice.filter.memory.Words;

/**
 * Cells of 1 to 64 bits, one after the other without gaps, all zero at first. A cell may lie in two
 * words: both are always read and written, which costs less than an unpredictable branch. That is
 * why there is a word after the last one. Indices are not checked. Not thread-safe.
 */
final class CellArray {

    private static final int WORD_SHIFT = 6;
    private static final int WORD_MASK = 63;

    final Words words;
    private final int cellBits;
    private final long mask;

    CellArray(Words words, int cellBits) {
        this.words = words;
        this.cellBits = cellBits;
        mask = -1L >>> (Long.SIZE - cellBits);
    }

    long get(long cell) {
        long bit = cell * cellBits;
        long word = bit >>> WORD_SHIFT;
        int shift = (int) bit & WORD_MASK;
        // Shifting by 1 and by 63 - shift is shifting by 64 - shift, also for 0.
        return (words.get(word) >>> shift | words.get(word + 1) << 1 << (WORD_MASK - shift)) & mask;
    }

    /** Whether no bit is set from a cell on; it is the first after the last one. */
    boolean isZeroFrom(long cell) {
        long bit = cell * cellBits;
        long word = bit >>> WORD_SHIFT;
        long left = words.get(word) >>> (bit & WORD_MASK);
        while (++word < words.length()) {
            left |= words.get(word);
        }
        return left == 0;
    }

    void set(long cell, long value) {
        long bit = cell * cellBits;
        long word = bit >>> WORD_SHIFT;
        int shift = (int) bit & WORD_MASK;
        words.set(word, (words.get(word) & ~(mask << shift)) | value << shift);
        int rest = WORD_MASK - shift;
        words.set(word + 1, (words.get(word + 1) & ~(mask >>> 1 >>> rest)) | value >>> 1 >>> rest);
    }
}
