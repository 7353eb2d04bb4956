/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.memory.Words;

/**
 * Which bits of a cache line say that a key may be there: the line of a Bloom filter that is cut
 * into lines of 512 bits (Putze, Sanders, Singler, <i>Cache-, Hash- and Space-Efficient Bloom
 * Filters</i>, 2007, section 3). A key has six bits, three in one word of the first half of its
 * line and three in one word of the second. Six bits anywhere in the line would have 2.4 % of false
 * positives instead of 2.6 % at 8 bits for a key, but need six reads instead of two; what counts is
 * how many lookups the processor can have in flight.
 *
 * <p>Pure functions of {@link #bits}.
 */
public final class BloomLine {

    /** Words of a line. */
    public static final int WORDS = Words.PER_LINE;

    /** Bits of a line. */
    public static final int BITS = WORDS * Long.SIZE;

    /** Words of half a line, minus one. */
    private static final int WORD_MASK = WORDS / 2 - 1;

    /** Fibonacci hashing: 2^64 divided by the golden ratio, odd. */
    private static final long MIX = 0x9e37_79b9_7f4a_7c15L;

    private BloomLine() {}

    /**
     * A hash of a key for choosing its line. Keys of few hash bits end with many zeros: their high
     * bits have to come down first.
     */
    static long hash(long key) {
        return (key ^ key >>> 32) * MIX;
    }

    /**
     * What a key's bits are made of.
     *
     * @param key an entry without its tombstone bit
     */
    public static long bits(long key) {
        return bitsOfHash(hash(key));
    }

    /** The 40 highest bits: word and three positions, six bits each, for one half and the other. */
    static long bitsOfHash(long hash) {
        return (hash ^ hash >>> 29) * MIX;
    }

    /** Where in its line the word of its first three bits is. */
    public static int firstWord(long bits) {
        return (int) (bits >>> 62) & WORD_MASK;
    }

    /** Where in its line the word of its other three bits is. */
    public static int secondWord(long bits) {
        return WORDS / 2 + ((int) (bits >>> 60) & WORD_MASK);
    }

    /** The first three bits. */
    public static long firstMask(long bits) {
        return 1L << (bits >>> 54) | 1L << (bits >>> 48) | 1L << (bits >>> 42);
    }

    /** The other three. */
    public static long secondMask(long bits) {
        return 1L << (bits >>> 36) | 1L << (bits >>> 30) | 1L << (bits >>> 24);
    }
}
