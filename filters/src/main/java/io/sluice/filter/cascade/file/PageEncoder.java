/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.memory.Select;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Cuts ascending entries into pages, each as full as it can be, and encodes them as {@link
 * PageLayout} says. Not thread-safe.
 *
 * <p>Cost: O(1) for an entry, and O(log n) for a page of n.
 */
final class PageEncoder {

    private final int droppedBits;
    private final long[] unary = new long[PageLayout.PAYLOAD_WORDS];

    /** Entries of the last page: where the search for the next end begins. */
    private int lastCount = 1 << 11;

    PageEncoder(int hashBits) {
        droppedBits = Entries.droppedBits(hashBits);
    }

    /**
     * The most entries from {@code from} that fit in one page; {@code to} is the end of them.
     *
     * @param tombstones whether there may be any among them: if not, they are not looked for
     */
    int countThatFits(long[] entries, int from, int to, boolean tombstones) {
        int lookedAt = Math.min(to, from + PageLayout.MAX_ENTRIES);
        int firstTombstone = tombstones ? from : lookedAt;
        while (firstTombstone < lookedAt && !Entries.isTombstone(entries[firstTombstone])) {
            firstTombstone++;
        }
        int available = to - from;
        // Invariant: the first "fits" entries fit, the first "tooMany" do not.
        int fits = 1;
        int tooMany = Math.min(available, PageLayout.MAX_ENTRIES) + 1;
        int step = 16;
        for (int tried = Math.min(lastCount, tooMany - 1); tried > fits && tried < tooMany; ) {
            if (fits(entries, from, tried, firstTombstone)) {
                fits = tried;
                tried += step;
            } else {
                tooMany = tried;
                tried -= step;
            }
            step *= 2;
        }
        while (fits + 1 < tooMany) {
            int middle = (fits + tooMany) >>> 1;
            if (fits(entries, from, middle, firstTombstone)) {
                fits = middle;
            } else {
                tooMany = middle;
            }
        }
        return fits;
    }

    private boolean fits(long[] entries, int from, int count, int firstTombstone) {
        int tombstoneBit = firstTombstone < from + count ? 1 : 0;
        long range = range(entries, from, count, tombstoneBit);
        int lowBits = lowBits(range, count, tombstoneBit);
        long unaryWords = ((count + (range >>> lowBits)) >>> 6) + 1;
        return unaryWords + PageLayout.words((long) count * lowBits) <= PageLayout.PAYLOAD_WORDS;
    }

    private long value(long entry, int tombstoneBit) {
        return entry >>> (1 + droppedBits) << tombstoneBit | (entry & tombstoneBit);
    }

    /** The first entry's value, without its tombstone bit. */
    private long base(long firstEntry, int tombstoneBit) {
        return firstEntry >>> (1 + droppedBits) << tombstoneBit;
    }

    private long range(long[] entries, int from, int count, int tombstoneBit) {
        return value(entries[from + count - 1], tombstoneBit) - base(entries[from], tombstoneBit);
    }

    /**
     * Logarithm of the mean distance, rounded down; keeps an entry and its tombstone in one bucket.
     */
    private static int lowBits(long range, int count, int tombstoneBit) {
        int lowBits = Long.SIZE - 1 - Long.numberOfLeadingZeros(range / count | 1);
        return Math.max(tombstoneBit, Math.min(PageLayout.MAX_LOW_BITS, lowBits));
    }

    /**
     * Encodes as many entries as {@link #countThatFits} said, into the page at position {@code at}
     * of a little-endian buffer, without its checksum.
     *
     * @param mayBeTombstones as there
     * @return tombstones among them
     */
    int encode(
            long[] entries, int from, int count, boolean mayBeTombstones, ByteBuffer into, int at) {
        lastCount = count;
        int tombstones = mayBeTombstones ? countTombstones(entries, from, count) : 0;
        int tombstoneBit = tombstones == 0 ? 0 : 1;
        long range = range(entries, from, count, tombstoneBit);
        int lowBits = lowBits(range, count, tombstoneBit);
        int buckets = (int) (range >>> lowBits) + 1;
        int directoryShift = PageLayout.directoryShift(buckets);
        into.putShort(at + PageLayout.COUNT_OFFSET, (short) count);
        into.putShort(at + PageLayout.BUCKETS_OFFSET, (short) buckets);
        into.putLong(at + PageLayout.FIRST_ENTRY_OFFSET, entries[from]);
        into.put(at + PageLayout.LOW_BITS_OFFSET, (byte) lowBits);
        into.put(at + PageLayout.DIRECTORY_SHIFT_OFFSET, (byte) directoryShift);
        into.put(at + PageLayout.TOMBSTONES_OFFSET, (byte) tombstoneBit);
        into.put(at + PageLayout.RESERVED_OFFSET, (byte) 0);
        int unaryWords = PageLayout.words((long) count + buckets);
        int lowAt = at + PageLayout.UNARY_OFFSET + unaryWords * Long.BYTES;
        int end = encodeValues(entries, from, count, tombstoneBit, lowBits, into, lowAt);
        for (int i = 0; i < unaryWords; i++) {
            into.putLong(at + PageLayout.UNARY_OFFSET + i * Long.BYTES, unary[i]);
        }
        encodeDirectory(unaryWords, buckets, directoryShift, into, at);
        Arrays.fill(unary, 0, unaryWords, 0);
        for (int i = end; i < at + PageLayout.BYTES; i += Long.BYTES) {
            into.putLong(i, 0);
        }
        return tombstones;
    }

    private static int countTombstones(long[] entries, int from, int count) {
        int tombstones = 0;
        for (int i = from; i < from + count; i++) {
            tombstones += (int) (entries[i] & Entries.TOMBSTONE);
        }
        return tombstones;
    }

    /** Sets the ones of {@link #unary} and writes the low parts; returns where those end. */
    private int encodeValues(
            long[] entries,
            int from,
            int count,
            int tombstoneBit,
            int lowBits,
            ByteBuffer into,
            int lowAt) {
        long[] words = unary;
        int valueShift = 1 + droppedBits;
        long base = base(entries[from], tombstoneBit);
        long lowMask = (1L << lowBits) - 1;
        long pending = 0;
        int pendingBits = 0;
        int at = lowAt;
        for (int i = 0; i < count; i++) {
            long entry = entries[from + i];
            long value = (entry >>> valueShift << tombstoneBit | (entry & tombstoneBit)) - base;
            int position = (int) (value >>> lowBits) + i;
            words[position >>> 6] |= 1L << position;
            long low = value & lowMask;
            pending |= low << pendingBits;
            pendingBits += lowBits;
            if (pendingBits >= Long.SIZE) {
                into.putLong(at, pending);
                at += Long.BYTES;
                pendingBits -= Long.SIZE;
                // What the word had no room for: pendingBits < lowBits now.
                pending = low >>> (lowBits - pendingBits);
            }
        }
        if (pendingBits > 0) {
            into.putLong(at, pending);
            at += Long.BYTES;
        }
        return at;
    }

    /** Walks over the zeros: after zero {@code (k << s) - 1} begins bucket {@code k << s}. */
    private void encodeDirectory(
            int unaryWords, int buckets, int shift, ByteBuffer into, int pageAt) {
        int at = pageAt + PageLayout.DIRECTORY_OFFSET;
        into.putShort(at, (short) 0);
        int steps = 1;
        int zeros = 0;
        for (int i = 0; i < unaryWords && steps << shift < buckets; i++) {
            int inWord = Long.bitCount(~unary[i]);
            while (zeros + inWord >= steps << shift && steps << shift < buckets) {
                int rank = (steps << shift) - 1 - zeros;
                int position = (i << 6) + Select.bit(~unary[i], rank) + 1;
                into.putShort(at + steps * Short.BYTES, (short) position);
                steps++;
            }
            zeros += inWord;
        }
        for (; steps < PageLayout.DIRECTORY_LENGTH; steps++) {
            into.putShort(at + steps * Short.BYTES, (short) 0);
        }
    }
}
