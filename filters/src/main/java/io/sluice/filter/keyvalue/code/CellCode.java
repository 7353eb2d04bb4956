/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue.code;

import io.sluice.filter.annotation.Internal;

/**
 * How the words of cells change when symbols come and go, and what can be read out of them.
 *
 * <p>Words are a commutative group and every symbol is an element of it: inserting a symbol
 * combines the cell with it, removing one combines with its inverse. So the order never matters, a
 * symbol can be taken out whatever else is in the cell, and two cells are merged by combining them.
 *
 * <p>Implementations are immutable, so that many filters share one, and allocate nothing per call.
 * Every operation takes constant time. Arguments are not checked: they come from cells.
 */
@Internal
public interface CellCode {

    /** {@link #decode}: the word does not tell the symbols. */
    long UNDECODABLE = -1;

    /** Bits of one of the three symbols in the answer of {@link #decode}. */
    int LANE_BITS = 21;

    /**
     * Symbols are at most this many bits wide, so that three of them fit into a positive number.
     */
    int MAX_SYMBOL_BITS = 20;

    /** Which code this is. */
    CodeKind kind();

    /** Number of symbols: they are 0 to {@code symbols() - 1}. */
    int symbols();

    /** Bits of a word, at most 60. */
    int wordBits();

    /** The word of a cell without symbols: the neutral element. */
    long empty();

    /** The word with one symbol more. */
    long insert(long word, int symbol);

    /** The word with one symbol less, which must be in it. */
    long remove(long word, int symbol);

    /** The word with {@code newSymbol} instead of {@code oldSymbol}, which must be in it. */
    long replace(long word, int oldSymbol, int newSymbol);

    /** The word of the symbols of both words. */
    long combine(long word, long other);

    /**
     * Not 0 if {@code symbol} is certainly not among the {@code count} symbols of a cell; 0 if it
     * is, or if they cannot be told. The same as looking into {@link #decode}, but cheaper where a
     * code allows it, and without a branch.
     */
    default int contradiction(long word, int count, int symbol) {
        long found = decode(word, count);
        return found < 0
                        || lane(found, 0) == symbol
                        || lane(found, 1) == symbol
                        || lane(found, 2) == symbol
                ? 0
                : 1;
    }

    /**
     * The symbols in a cell that holds {@code count} of them, as three lanes of {@link #LANE_BITS}
     * bits, lowest first. With fewer than three symbols the remaining lanes repeat one of them, so
     * that the lanes as a set are always the symbols.
     *
     * @param count at least 1
     * @return {@link #UNDECODABLE}, which is the only negative answer, if they cannot be told, or
     *     if no symbols give this word
     */
    long decode(long word, int count);

    /** Lane {@code i} of {@code symbols}, an answer of {@link #decode}. */
    static int lane(long symbols, int i) {
        return (int) (symbols >>> (i * LANE_BITS)) & ((1 << LANE_BITS) - 1);
    }

    /** Three symbols as one answer. */
    static long lanes(int first, int second, int third) {
        return first | (long) second << LANE_BITS | (long) third << (2 * LANE_BITS);
    }
}
