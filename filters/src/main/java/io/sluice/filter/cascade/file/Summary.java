/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.memory.Words;
import java.util.Arrays;

/**
 * What memory knows of a level file's keys, so that a lookup of an absent key need not ask the
 * file: a Bloom filter that is cut into cache lines of 512 bits (Putze, Sanders, Singler,
 * <i>Cache-, Hash- and Space-Efficient Bloom Filters</i>, 2007, section 3). A key has six bits,
 * three in one word of the first half of its line and three in one word of the second. Six bits
 * anywhere in the line would have 2.4 % of false positives instead of 2.6 % at 8 bits for a key,
 * but need six reads instead of two; what counts is how many lookups the processor can have in
 * flight.
 *
 * <p>Each page of the file has its own lines, as many as its keys need. So however the keys are
 * spread every key has the same number of bits, lines are written in the order of the file, and a
 * sorted batch of lookups walks through memory.
 *
 * <p>Immutable.
 */
public final class Summary {

    private static final int LINE_WORDS = Words.PER_LINE;
    private static final int LINE_BITS = LINE_WORDS * Long.SIZE;

    /** Words of half a line, minus one. */
    private static final int WORD_MASK = LINE_WORDS / 2 - 1;

    /** Beyond it, false positives of the file itself prevail. */
    private static final int MAX_BITS_PER_KEY = 32;

    /** Fibonacci hashing: 2^64 divided by the golden ratio, odd. */
    private static final long MIX = 0x9e37_79b9_7f4a_7c15L;

    private final Words words;

    /** Lines before each page, and of all. */
    private final int[] linesBefore;

    private Summary(Words words, int[] linesBefore) {
        this.words = words;
        this.linesBefore = linesBefore;
    }

    static void checkBitsPerKey(int bitsPerKey) {
        if (bitsPerKey < 0 || bitsPerKey > MAX_BITS_PER_KEY) {
            throw new IllegalArgumentException(
                    "summaryBitsPerKey must be from 0 (none) to "
                            + MAX_BITS_PER_KEY
                            + ", got "
                            + bitsPerKey);
        }
    }

    int pages() {
        return linesBefore.length - 1;
    }

    /** Whether a page may hold a key (or its tombstone); never denies one that it does. */
    boolean mightContain(int page, long key) {
        return mightContainAt(line(page, key), key);
    }

    /** Where the line of a page's key is, for {@link #touch} and {@link #mightContainAt}. */
    long line(int page, long key) {
        return at(page, hash(key));
    }

    /** Reads a line; the number that it returns has to be kept somewhere. */
    long touch(long line) {
        return words.get(line);
    }

    /** As {@link #mightContain}, of the key whose line it is. */
    boolean mightContainAt(long at, long key) {
        long bits = bits(hash(key));
        long first = words.get(at + firstWord(bits));
        long second = words.get(at + secondWord(bits));
        return ((~first & firstMask(bits)) | (~second & secondMask(bits))) == 0;
    }

    /** Index of the first word of a key's line. */
    private long at(int page, long hash) {
        int before = linesBefore[page];
        return (long) (before + line(hash, linesBefore[page + 1] - before)) * LINE_WORDS;
    }

    /** Keys of few hash bits end with many zeros: their high bits have to come down first. */
    private static long hash(long key) {
        return (key ^ key >>> 32) * MIX;
    }

    /** The 40 highest bits: word and three positions, six bits each, for one half and the other. */
    private static long bits(long hash) {
        return (hash ^ hash >>> 29) * MIX;
    }

    private static int line(long hash, int lines) {
        return (int) (((hash >>> Integer.SIZE) * lines) >>> Integer.SIZE);
    }

    private static int firstWord(long bits) {
        return (int) (bits >>> 62) & WORD_MASK;
    }

    private static int secondWord(long bits) {
        return LINE_WORDS / 2 + ((int) (bits >>> 60) & WORD_MASK);
    }

    private static long firstMask(long bits) {
        return 1L << (bits >>> 54) | 1L << (bits >>> 48) | 1L << (bits >>> 42);
    }

    private static long secondMask(long bits) {
        return 1L << (bits >>> 36) | 1L << (bits >>> 30) | 1L << (bits >>> 24);
    }

    /** Bytes in memory. */
    public long sizeInBytes() {
        return words.sizeInBytes() + (long) linesBefore.length * Integer.BYTES;
    }

    /** Builds a summary page by page, in the order of the file. Not thread-safe. */
    static final class Builder {
        private final int bitsPerKey;
        private long[] words = new long[1 << 10];
        private int[] linesBefore = new int[64];
        private int pages;

        Builder(int bitsPerKey) {
            this.bitsPerKey = bitsPerKey;
        }

        /** Adds the keys of the next page: of {@code entries[from]} to {@code entries[to - 1]}. */
        void addPage(long[] entries, int from, int to) {
            int before = linesBefore[pages];
            int lines = Math.max(1, ((to - from) * bitsPerKey + LINE_BITS / 2) / LINE_BITS);
            int end = Math.multiplyExact(before + lines, LINE_WORDS);
            if (end > words.length) {
                words = Arrays.copyOf(words, (int) Math.min(Integer.MAX_VALUE - 8, 2L * end));
            }
            long[] w = words;
            for (int i = from; i < to; i++) {
                long hash = hash(entries[i] & ~Entries.TOMBSTONE);
                int at = (before + line(hash, lines)) * LINE_WORDS;
                long bits = bits(hash);
                w[at + firstWord(bits)] |= firstMask(bits);
                w[at + secondWord(bits)] |= secondMask(bits);
            }
            pages++;
            if (pages == linesBefore.length) {
                linesBefore = Arrays.copyOf(linesBefore, 2 * pages);
            }
            linesBefore[pages] = before + lines;
        }

        Summary build() {
            return new Summary(
                    Words.of(words, linesBefore[pages] * LINE_WORDS),
                    Arrays.copyOf(linesBefore, pages + 1));
        }
    }
}
