/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue.code;

/**
 * A commutative group of cell words, and a word of it for each symbol, such that a few symbols can
 * be read out of the combination of their words.
 *
 * <p>Inserting a symbol combines the cell with {@link #symbol}, taking it out combines with the
 * {@link #inverse}, replacing combines with both at once; the order never matters. Two cells are
 * merged by combining them.
 *
 * <p>Implementations are immutable, so that many filters share one, and allocate nothing per call.
 * Every operation takes constant time. Arguments are not checked: they come from cells.
 */
public interface CellCode {

    /** {@link #decode}: the word does not tell the symbols. */
    long UNDECODABLE = -1;

    /** Bits of one of the three symbols in the answer of {@link #decode}. */
    int LANE_BITS = 21;

    /** Symbols may be at most so many bits wide: three of them fit into a positive number. */
    int MAX_SYMBOL_BITS = 20;

    /** Which code this is. */
    CodeKind kind();

    /** Number of symbols: they are 0 to {@code symbols() - 1}. */
    int symbols();

    /** Bits of a word, at most 60. */
    int wordBits();

    /** The word of a cell without symbols: the neutral element. */
    long empty();

    /** The word of one symbol. */
    long symbol(int symbol);

    /** The word of the symbols of both words. */
    long combine(long word, long other);

    /** The word that takes out again what {@code word} put in. */
    long inverse(long word);

    /**
     * The symbols in a cell that holds {@code count} of them, as three lanes of {@link #LANE_BITS}
     * bits, lowest first. With fewer than three symbols the lanes that are left repeat one of them,
     * so that the lanes are always the set of symbols.
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
