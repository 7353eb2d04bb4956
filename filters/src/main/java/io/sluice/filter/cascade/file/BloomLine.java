/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.annotation.Internal;
import io.sluice.filter.memory.Words;
import java.util.SplittableRandom;

/**
 * Which bits of a cache line say that a key may be there: one line of a Bloom filter that is cut
 * into lines of 512 bits (Putze, Sanders, Singler, <i>Cache-, Hash- and Space-Efficient Bloom
 * Filters</i>, 2007, section 3). A key has six bits, three in one word of the first half of its
 * line and three in one word of the second. Six bits anywhere in the line would have 2.4 % of false
 * positives instead of 2.6 % at 8 bits for a key, but need six reads instead of two; what counts is
 * how many lookups the processor can keep in flight.
 *
 * <p>Pure functions of {@link #hash}, or of values derived from it.
 */
@Internal
public final class BloomLine {

    /** Words of a line. */
    public static final int WORDS = Words.PER_LINE;

    /** Bits of a line. */
    public static final int BITS = WORDS * Long.SIZE;

    /** Words of half a line, minus one. */
    private static final int WORD_MASK = WORDS / 2 - 1;

    /** Fibonacci hashing: 2^64 divided by the golden ratio, odd. */
    private static final long MIX = 0x9e37_79b9_7f4a_7c15L;

    private static final int PATTERN_BITS = 9;

    /** Any value would do. */
    private static final long SEED = 1;

    /**
     * Words of three bits, one of them bit 0. Rotated by 0 to 63 they give about half of the 41,664
     * words of three bits. Looking one up takes half of the instructions of setting three bits: the
     * fewer a lookup has, the sooner the processor sees the line of the next. The table's 4 KB stay
     * in the first-level cache.
     */
    private static final long[] PATTERNS = patterns();

    private BloomLine() {}

    private static long[] patterns() {
        SplittableRandom random = new SplittableRandom(SEED);
        long[] patterns = new long[1 << PATTERN_BITS];
        for (int i = 0; i < patterns.length; i++) {
            int second = 1 + random.nextInt(Long.SIZE - 1);
            int third = 1 + random.nextInt(Long.SIZE - 2);
            patterns[i] = 1 | 1L << second | 1L << (third < second ? third : third + 1);
        }
        return patterns;
    }

    /**
     * What a key's bits are made of, where its line is chosen by the key itself; or its line, and
     * then its bits of {@link #bitsOfHash}. Keys of few hash bits end with many zeros: their high
     * bits have to come down first.
     *
     * @param key an entry without its tombstone bit
     */
    public static long hash(long key) {
        return (key ^ key >>> 32) * MIX;
    }

    /** What a key's bits are made of, where its line is chosen by its hash. */
    static long bitsOfHash(long hash) {
        return (hash ^ hash >>> 29) * MIX;
    }

    // Of the 34 highest bits: pattern and rotation for one half, and for the other, two words.

    /** Where in its line the word of its first three bits is. */
    public static int firstWord(long bits) {
        return (int) (bits >>> 32) & WORD_MASK;
    }

    /** Where in its line the word of its other three bits is. */
    public static int secondWord(long bits) {
        return WORDS / 2 + ((int) (bits >>> 30) & WORD_MASK);
    }

    /** The first three bits. */
    public static long firstMask(long bits) {
        return Long.rotateLeft(PATTERNS[(int) (bits >>> 55)], (int) (bits >>> 49));
    }

    /** The other three. */
    public static long secondMask(long bits) {
        int pattern = (int) (bits >>> 40) & (1 << PATTERN_BITS) - 1;
        return Long.rotateLeft(PATTERNS[pattern], (int) (bits >>> 34));
    }
}
