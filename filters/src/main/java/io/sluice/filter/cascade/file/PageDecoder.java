/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.memory.Select;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Reads pages of {@link PageLayout} in place: in a little-endian buffer, from a position on.
 * Stateless.
 */
final class PageDecoder {

    /** Longer runs of a bucket are bisected before they are searched one by one. */
    private static final int LONG_RUN = 8;

    private static final int UNARY_WORD_LIMIT = PageLayout.PAYLOAD_WORDS - 1;

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final VarHandle SHORT =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

    private PageDecoder() {}

    static long firstEntry(ByteBuffer buffer, int at) {
        return buffer.getLong(at + PageLayout.FIRST_ENTRY_OFFSET);
    }

    static int count(ByteBuffer buffer, int at) {
        return buffer.getShort(at + PageLayout.COUNT_OFFSET) & 0xffff;
    }

    /**
     * What a checked page says about a key.
     *
     * <p>If the bytes change meanwhile, the answer is worthless, but the call still ends soon,
     * perhaps with an {@link IndexOutOfBoundsException}.
     *
     * @param key an entry of the page's number of bits, without its tombstone bit, not below the
     *     page's first key
     * @param droppedBits of the file's entries
     */
    static int find(ByteBuffer buffer, int at, long key, int droppedBits) {
        int counts = buffer.getInt(at + PageLayout.COUNT_OFFSET);
        int buckets = counts >>> 16;
        int parameters = buffer.getInt(at + PageLayout.LOW_BITS_OFFSET);
        int lowBits = parameters & 0xff;
        int directoryShift = parameters >>> 8 & 0xff;
        int tombstoneBit = parameters >>> 16 & 1;
        int valueShift = 1 + droppedBits;
        long base =
                buffer.getLong(at + PageLayout.FIRST_ENTRY_OFFSET) >>> valueShift << tombstoneBit;
        long value = (key >>> valueShift << tombstoneBit) - base;
        long high = value >>> lowBits;
        if (high >= buckets) {
            return LevelFile.ABSENT;
        }
        int bucket = (int) high;
        int unaryAt = at + PageLayout.UNARY_OFFSET;
        int start = bucketStart(buffer, at, bucket, directoryShift);
        // At least 57 bits from the start on; the 0s shifted in beyond them matter only after a run
        // that long.
        long ones = buffer.getLong(unaryAt + (start >>> 3)) >>> (start & 7);
        int run = Long.numberOfTrailingZeros(~ones);
        if (run > 56) {
            run = longRun(buffer, unaryAt, start);
        }
        int unaryWords = ((counts & 0xffff) + buckets + Long.SIZE - 1) >>> 6;
        int lowAt = unaryAt + unaryWords * Long.BYTES;
        long lowMask = (1L << lowBits) - 1;
        long low = value & lowMask;
        // Ones before the start: one for each position, except the zero that ends each bucket.
        int bit = (start - bucket) * lowBits;
        while (run > LONG_RUN) {
            int half = run >>> 1;
            int middle = bit + half * lowBits;
            long found = buffer.getLong(lowAt + (middle >>> 3)) >>> (middle & 7) & lowMask;
            bit = (found & ~tombstoneBit) <= low ? middle : bit;
            run = (found & ~tombstoneBit) <= low ? run - half : half;
        }
        for (; run > 0; run--) {
            long found = buffer.getLong(lowAt + (bit >>> 3)) >>> (bit & 7) & lowMask;
            if ((found & ~tombstoneBit) == low) {
                return LevelFile.PRESENT + (int) (found & tombstoneBit);
            }
            bit += lowBits;
        }
        return LevelFile.ABSENT;
    }

    /** Position in the unary part at which a bucket begins. */
    private static int bucketStart(ByteBuffer buffer, int at, int bucket, int directoryShift) {
        int step = bucket >>> directoryShift;
        int position =
                buffer.getShort(at + PageLayout.DIRECTORY_OFFSET + step * Short.BYTES) & 0xffff;
        // Buckets, and so zeros, between there and the one wanted.
        int zeros = bucket - (step << directoryShift);
        if (zeros == 0) {
            return position;
        }
        int word = position >>> 6;
        int unaryAt = at + PageLayout.UNARY_OFFSET;
        long inWord = ~buffer.getLong(unaryAt + word * Long.BYTES) & -1L << position;
        int count = Long.bitCount(inWord);
        while (count < zeros && word < UNARY_WORD_LIMIT) {
            zeros -= count;
            word++;
            inWord = ~buffer.getLong(unaryAt + word * Long.BYTES);
            count = Long.bitCount(inWord);
        }
        return (word << 6) + Select.bit(inWord, zeros - 1) + 1;
    }

    /** Ones from {@code start} on; at most as many as a page has room for. */
    private static int longRun(ByteBuffer buffer, int unaryAt, int start) {
        int word = start >>> 6;
        long zeros = ~buffer.getLong(unaryAt + word * Long.BYTES) & -1L << start;
        while (zeros == 0 && word < UNARY_WORD_LIMIT) {
            word++;
            zeros = ~buffer.getLong(unaryAt + word * Long.BYTES);
        }
        return (word << 6) + Long.numberOfTrailingZeros(zeros) - start;
    }

    /**
     * Puts all entries of a checked page into {@code into}, from index 0; it must have room for
     * them.
     *
     * @param page the page, copied into an array, because reading that is faster than a buffer
     * @return their number; its complement (a negative number) if they do not ascend
     */
    static int decode(byte[] page, int droppedBits, long[] into) {
        int count = (short) SHORT.get(page, PageLayout.COUNT_OFFSET) & 0xffff;
        int buckets = (short) SHORT.get(page, PageLayout.BUCKETS_OFFSET) & 0xffff;
        int lowBits = page[PageLayout.LOW_BITS_OFFSET];
        int tombstoneBit = page[PageLayout.TOMBSTONES_OFFSET];
        int valueShift = 1 + droppedBits;
        long first = (long) LONG.get(page, PageLayout.FIRST_ENTRY_OFFSET);
        long base = first >>> valueShift << tombstoneBit;
        int lowAt = PageLayout.UNARY_OFFSET + PageLayout.words((long) count + buckets) * Long.BYTES;
        int n = decodeBuckets(page, lowAt, lowBits, into);
        if (tombstoneBit == 0) {
            addLowParts(page, lowAt, lowBits, base, valueShift, into, n);
        } else {
            addLowPartsAndTombstones(page, lowAt, lowBits, base, valueShift, into, n);
        }
        long allAscend = -1;
        long last = -1;
        for (int i = 0; i < n; i++) {
            long key = into[i] | Entries.TOMBSTONE;
            allAscend &= last - key;
            last = key;
        }
        return allAscend < 0 ? n : ~n;
    }

    // Three short loops instead of one: iterations of the second and the third do not depend on
    // each other, and the whole takes two thirds of the time.

    /** Puts the numbers of the buckets into {@code into}, shifted to their places. */
    private static int decodeBuckets(byte[] page, int end, int lowBits, long[] into) {
        int n = 0;
        int firstPosition = 0;
        for (int at = PageLayout.UNARY_OFFSET; at < end; at += Long.BYTES) {
            long ones = (long) LONG.get(page, at);
            int inWord = Long.bitCount(ones);
            int zerosBefore = firstPosition - n;
            for (int i = 0; i < inWord; i++) {
                long bucket = (long) zerosBefore - i + Long.numberOfTrailingZeros(ones);
                into[n + i] = bucket << lowBits;
                ones &= ones - 1;
            }
            n += inWord;
            firstPosition += Long.SIZE;
        }
        return n;
    }

    private static void addLowParts(
            byte[] page, int lowAt, int lowBits, long base, int shift, long[] into, int count) {
        long lowMask = (1L << lowBits) - 1;
        for (int i = 0, lowBit = 0; i < count; i++, lowBit += lowBits) {
            long low = (long) LONG.get(page, lowAt + (lowBit >>> 3)) >>> (lowBit & 7) & lowMask;
            into[i] = (base + (into[i] | low)) << shift;
        }
    }

    private static void addLowPartsAndTombstones(
            byte[] page, int lowAt, int lowBits, long base, int shift, long[] into, int count) {
        long lowMask = (1L << lowBits) - 1;
        for (int i = 0, lowBit = 0; i < count; i++, lowBit += lowBits) {
            long low = (long) LONG.get(page, lowAt + (lowBit >>> 3)) >>> (lowBit & 7) & lowMask;
            long value = base + (into[i] | low);
            into[i] = value >>> 1 << shift | (value & Entries.TOMBSTONE);
        }
    }

    /**
     * Checks that a page is the one that was written here, and that reading it terminates.
     *
     * @param source the file, for the exception
     * @param position of the page in the file, for the exception
     */
    static void check(
            ByteBuffer buffer, int at, int salt, int droppedBits, String source, long position)
            throws CorruptFilterException {
        checkChecksum(buffer, at, salt, source, position);
        String problem = problem(buffer, at, droppedBits);
        if (problem != null) {
            throw new CorruptFilterException(source, position, problem);
        }
    }

    /** Checks that a page of entries or an index page has the bytes that were written here. */
    static void checkChecksum(ByteBuffer buffer, int at, int salt, String source, long position)
            throws CorruptFilterException {
        int stored = buffer.getInt(at + PageLayout.CHECKSUM_OFFSET);
        int computed = Checksums.of(buffer, at + PageLayout.CHECKED_OFFSET, at + PageLayout.BYTES);
        if (stored != (computed ^ salt)) {
            throw new CorruptFilterException(
                    source,
                    position + PageLayout.CHECKSUM_OFFSET,
                    String.format(
                            "checksum of the page is %08x, its bytes give %08x",
                            stored, computed ^ salt));
        }
    }

    /**
     * What is impossible about a page, or null. No accident produces such a page with a valid
     * checksum.
     */
    private static String problem(ByteBuffer buffer, int at, int droppedBits) {
        int count = count(buffer, at);
        int buckets = buffer.getShort(at + PageLayout.BUCKETS_OFFSET) & 0xffff;
        int lowBits = buffer.get(at + PageLayout.LOW_BITS_OFFSET);
        int shift = buffer.get(at + PageLayout.DIRECTORY_SHIFT_OFFSET);
        int tombstoneBit = buffer.get(at + PageLayout.TOMBSTONES_OFFSET);
        if (count == 0 || buckets == 0) {
            return "a page without entries";
        }
        if (lowBits < 0 || lowBits > PageLayout.MAX_LOW_BITS) {
            return "impossible low bits " + lowBits;
        }
        if (tombstoneBit < 0 || tombstoneBit > 1 || tombstoneBit > lowBits) {
            return "impossible tombstone bit " + tombstoneBit;
        }
        if (shift != PageLayout.directoryShift(buckets)) {
            return "impossible directory shift " + shift;
        }
        int unaryWords = PageLayout.words((long) count + buckets);
        if (unaryWords + PageLayout.words((long) count * lowBits) > PageLayout.PAYLOAD_WORDS) {
            return count + " entries of " + lowBits + " low bits, more than a page holds";
        }
        long first = firstEntry(buffer, at);
        if (first < 0 || (first >>> 1 & (1L << droppedBits) - 1) != 0) {
            return "impossible first entry " + first;
        }
        long base = first >>> (1 + droppedBits) << tombstoneBit;
        long high = buckets - 1L;
        int lastBit = (count - 1) * lowBits;
        int lowAt = at + PageLayout.UNARY_OFFSET + unaryWords * Long.BYTES;
        long low = buffer.getLong(lowAt + (lastBit >>> 3)) >>> (lastBit & 7) & (1L << lowBits) - 1;
        long last = base + (high << lowBits | low);
        int valueBits = Long.SIZE - 2 - droppedBits + tombstoneBit;
        if (high << lowBits >>> lowBits != high || last < base || last >>> valueBits != 0) {
            return "entries beyond the last key group";
        }
        return unaryProblem(buffer, at, count, buckets, shift);
    }

    private static String unaryProblem(
            ByteBuffer buffer, int at, int count, int buckets, int shift) {
        int bits = count + buckets;
        int ones = 0;
        int step = 0;
        int words = PageLayout.words(bits);
        for (int i = 0; i < words; i++) {
            long word = buffer.getLong(at + PageLayout.UNARY_OFFSET + i * Long.BYTES);
            while (step << shift < buckets) {
                int position =
                        buffer.getShort(at + PageLayout.DIRECTORY_OFFSET + step * Short.BYTES)
                                & 0xffff;
                if (position >>> 6 > i) {
                    break;
                }
                // That many ones, and a zero for each bucket, the last of them just before.
                int before = ones + Long.bitCount(word & ~(-1L << position));
                if (position >>> 6 < i || position - before != step << shift) {
                    return "the directory is wrong at " + step;
                }
                if (step > 0 && isSet(buffer, at, position - 1)) {
                    return "the directory is wrong at " + step;
                }
                step++;
            }
            ones += Long.bitCount(word);
        }
        if (step << shift < buckets) {
            return "the directory leads out of the page";
        }
        if (ones != count) {
            return count + " entries, but " + ones + " in buckets";
        }
        // All ones are counted: if there are none at the end and after it, the zeros are right too.
        for (int position = bits - 1; position < words << 6; position++) {
            if (isSet(buffer, at, position)) {
                return "an entry after the last bucket";
            }
        }
        return null;
    }

    private static boolean isSet(ByteBuffer buffer, int at, int position) {
        int word = at + PageLayout.UNARY_OFFSET + (position >>> 6) * Long.BYTES;
        return (buffer.getLong(word) >>> position & 1) != 0;
    }
}
