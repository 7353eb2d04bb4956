/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import java.util.Arrays;

/**
 * What memory knows of a level file's keys, so that a lookup of an absent key need not ask the
 * file: a Bloom filter that is cut into cache lines of 512 bits (Putze, Sanders, Singler,
 * <i>Cache-, Hash- and Space-Efficient Bloom Filters</i>, 2007, section 3). A key has {@value
 * #PROBES} bits, all in one line.
 *
 * <p>Each page of the file has its own lines, as many as its keys need. So however the keys are
 * spread every key has the same number of bits, lines are written in the order of the file, and a
 * sorted batch of lookups walks through memory.
 *
 * <p>Immutable.
 */
public final class Summary {

    /** Bits per key; about best for 8 bits per key. */
    private static final int PROBES = 5;

    private static final int LINE_WORDS = 8;
    private static final int LINE_BITS = LINE_WORDS * Long.SIZE;

    /** Beyond it, false positives of the file itself prevail. */
    private static final int MAX_BITS_PER_KEY = 32;

    /** Fibonacci hashing: 2^64 divided by the golden ratio, odd. */
    private static final long MIX = 0x9e37_79b9_7f4a_7c15L;

    private final long[] words;

    /** Lines before each page, and of all. */
    private final int[] linesBefore;

    private Summary(long[] words, int[] linesBefore) {
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
        int before = linesBefore[page];
        long hash = hash(key);
        int line = before + line(hash, linesBefore[page + 1] - before);
        long bits = bits(hash);
        long[] w = words;
        int at = line * LINE_WORDS;
        long missing = 0;
        for (int i = 0; i < PROBES; i++) {
            int bit = bit(bits, i);
            missing |= ~w[at + (bit >>> 6)] >>> bit;
        }
        return (missing & 1) == 0;
    }

    /** Keys of few hash bits end with many zeros: their high bits have to come down first. */
    private static long hash(long key) {
        return (key ^ key >>> 32) * MIX;
    }

    private static long bits(long hash) {
        return (hash ^ hash >>> 29) * MIX;
    }

    private static int line(long hash, int lines) {
        return (int) (((hash >>> Integer.SIZE) * lines) >>> Integer.SIZE);
    }

    /** The i-th bit of a key in its line, from 0 to 511. */
    private static int bit(long bits, int i) {
        return (int) (bits >>> (Long.SIZE - 9 * (i + 1))) & LINE_BITS - 1;
    }

    /** Bytes in memory. */
    public long sizeInBytes() {
        return (long) words.length * Long.BYTES + (long) linesBefore.length * Integer.BYTES;
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
            for (int i = from; i < to; i++) {
                long hash = hash(entries[i] & ~Entries.TOMBSTONE);
                int at = (before + line(hash, lines)) * LINE_WORDS;
                long bits = bits(hash);
                for (int probe = 0; probe < PROBES; probe++) {
                    int bit = bit(bits, probe);
                    words[at + (bit >>> 6)] |= 1L << bit;
                }
            }
            pages++;
            if (pages == linesBefore.length) {
                linesBefore = Arrays.copyOf(linesBefore, 2 * pages);
            }
            linesBefore[pages] = before + lines;
        }

        Summary build() {
            return new Summary(
                    Arrays.copyOf(words, linesBefore[pages] * LINE_WORDS),
                    Arrays.copyOf(linesBefore, pages + 1));
        }
    }
}
