/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.annotation.Internal;
import io.sluice.filter.memory.Touches;
import io.sluice.filter.memory.Words;
import java.util.Arrays;

/**
 * What memory knows about a level file's keys, so that a lookup of an absent key need not ask the
 * file: a Bloom filter of lines, see {@link BloomLine}.
 *
 * <p>Each page of the file has its own lines, as many as its keys need. So every key has the same
 * number of bits however keys are spread, lines are written in the order of the file, and a sorted
 * batch of lookups walks sequentially through memory.
 *
 * <p>Immutable.
 */
@Internal
public final class Summary {

    /** Beyond it, false positives of the file itself prevail. */
    private static final int MAX_BITS_PER_KEY = 32;

    private final Words words;

    /** Lines before each page; the last element is their total. */
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

    /** Position of the line of a key on a page, for {@link #touch} and {@link #mightContainAt}. */
    long line(int page, long key) {
        return at(page, BloomLine.hash(key));
    }

    /** Reads a line; returns a number for {@link Touches#keep}. */
    long touch(long line) {
        return words.get(line);
    }

    /** As {@link #mightContain}, for the key whose line this is. */
    boolean mightContainAt(long at, long key) {
        long bits = BloomLine.bitsOfHash(BloomLine.hash(key));
        long first = words.get(at + BloomLine.firstWord(bits));
        long second = words.get(at + BloomLine.secondWord(bits));
        return ((~first & BloomLine.firstMask(bits)) | (~second & BloomLine.secondMask(bits))) == 0;
    }

    /** Index of the first word of a key's line. */
    private long at(int page, long hash) {
        int before = linesBefore[page];
        return (long) (before + line(hash, linesBefore[page + 1] - before)) * BloomLine.WORDS;
    }

    private static int line(long hash, int lines) {
        return (int) (((hash >>> Integer.SIZE) * lines) >>> Integer.SIZE);
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

        /** Adds the keys of the next page: {@code entries[from]} to {@code entries[to - 1]}. */
        void addPage(long[] entries, int from, int to) {
            int before = linesBefore[pages];
            int lines =
                    Math.max(1, ((to - from) * bitsPerKey + BloomLine.BITS / 2) / BloomLine.BITS);
            int end = Math.multiplyExact(before + lines, BloomLine.WORDS);
            if (end > words.length) {
                words = Arrays.copyOf(words, (int) Math.min(Integer.MAX_VALUE - 8, 2L * end));
            }
            long[] w = words;
            for (int i = from; i < to; i++) {
                long hash = BloomLine.hash(entries[i] & ~Entries.TOMBSTONE);
                int at = (before + line(hash, lines)) * BloomLine.WORDS;
                long bits = BloomLine.bitsOfHash(hash);
                w[at + BloomLine.firstWord(bits)] |= BloomLine.firstMask(bits);
                w[at + BloomLine.secondWord(bits)] |= BloomLine.secondMask(bits);
            }
            pages++;
            if (pages == linesBefore.length) {
                linesBefore = Arrays.copyOf(linesBefore, 2 * pages);
            }
            linesBefore[pages] = before + lines;
        }

        Summary build() {
            return new Summary(
                    Words.of(words, linesBefore[pages] * BloomLine.WORDS),
                    Arrays.copyOf(linesBefore, pages + 1));
        }
    }
}
