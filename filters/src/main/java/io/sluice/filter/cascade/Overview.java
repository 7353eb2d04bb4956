/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.cascade.file.BloomLine;
import io.sluice.filter.cascade.file.Entries;
import io.sluice.filter.memory.Touches;
import io.sluice.filter.memory.Words;
import java.util.function.LongFunction;

/**
 * What memory knows about all entries of a filter together, so that an absent hash costs one cache
 * line, no matter how many buffers and files there are: a Bloom filter of lines, see {@link
 * BloomLine}.
 *
 * <p>Lines ascend with entries: each key group has its own, in proportion to what it holds, and in
 * a key group the highest bits of a hash choose the line. So an overview is built from sorted files
 * by walking through memory, a few nanoseconds a key, although its lookups are at random.
 *
 * <p>Bits are only ever set. Entries that are removed or expire leave theirs behind until the next
 * overview is built; that causes needless lookups, never a wrong answer.
 *
 * <p>One thread at a time: first the one that builds it, then the owner.
 */
final class Overview {

    /** The greatest number of lines that an array has. */
    private static final long MAX_LINES = (Integer.MAX_VALUE - 8) / BloomLine.WORDS;

    /** Share of the lines that is spread over all key groups, whether they hold anything or not. */
    private static final double EVEN_SHARE = 1.0 / 16;

    /** Bits below the highest 32 bits of a hash in an entry. */
    private static final int HIGH_HASH_SHIFT = 1 + Entries.MAX_HASH_BITS - Integer.SIZE;

    private static final long HIGH_HASH_MASK = (1L << Integer.SIZE) - 1;

    private final Words words;
    private final int firstKeyGroup;

    /** See {@link KeyGroupParts#hashBits}: lines belong to whole key groups. */
    private final int partBits;

    /** Lines before each key group; the last element is their total. */
    private final int[] linesBefore;

    /** Bits of an entry that all files keep: the others are not known for all keys. */
    private final long keyMask;

    private final long capacity;

    /** About how many entries were added, including those that are gone by now. */
    private long keys;

    /**
     * @param memory gives a number of words of zero
     * @param parts how key groups are divided
     * @param weights of the key groups, in steps of {@link KeyGroupParts#hashBits}: entries that
     *     are there, as far as known
     * @param capacity entries beyond which another overview should be built
     * @param bitsPerKey for each entry of the capacity
     * @param hashBits the fewest bits that any file or buffer keeps of a hash
     */
    Overview(
            LongFunction<Words> memory,
            KeyGroups keyGroups,
            KeyGroupParts parts,
            double[] weights,
            long capacity,
            double bitsPerKey,
            int hashBits) {
        this.partBits = parts.hashBits();
        this.firstKeyGroup = keyGroups.first() >> partBits;
        int count = count(keyGroups, parts);
        this.capacity = capacity;
        this.keyMask = Entries.mask(hashBits) & ~Entries.TOMBSTONE;
        double lines =
                Math.min(
                        MAX_LINES - (double) count,
                        (double) capacity * bitsPerKey / BloomLine.BITS);
        this.linesBefore = linesBefore(count, weights, lines);
        this.words = memory.apply((long) linesBefore[count] * BloomLine.WORDS);
    }

    /** Key groups that have lines of their own. */
    private static int count(KeyGroups keyGroups, KeyGroupParts parts) {
        return keyGroups.count() >> parts.hashBits();
    }

    /** The most bytes of words of an overview. */
    static long bytes(KeyGroups keyGroups, KeyGroupParts parts, long capacity, double bitsPerKey) {
        // Each key group has at least one line.
        return leastBytes(keyGroups, parts)
                + (long) Math.ceil((double) capacity * bitsPerKey / Byte.SIZE);
    }

    private static long leastBytes(KeyGroups keyGroups, KeyGroupParts parts) {
        return (long) count(keyGroups, parts) * BloomLine.WORDS * Long.BYTES;
    }

    /** Returns the bits for each entry of an overview of a size in bytes. */
    static double bitsPerKey(KeyGroups keyGroups, KeyGroupParts parts, long capacity, long bytes) {
        return (double) (bytes - leastBytes(keyGroups, parts)) * Byte.SIZE / (double) capacity;
    }

    /** Gives the memory back; it must not be used any more. */
    void release() {
        words.release();
    }

    private static int[] linesBefore(int count, double[] weights, double lines) {
        double sum = 0;
        for (double weight : weights) {
            sum += weight;
        }
        int[] before = new int[count + 1];
        for (int i = 0; i < count; i++) {
            double share =
                    sum == 0
                            ? 1.0 / count
                            : (1 - EVEN_SHARE) * weights[i] / sum + EVEN_SHARE / count;
            before[i + 1] = before[i] + Math.max(1, (int) (lines * share));
        }
        return before;
    }

    /** Whether an entry may have been added; never denies one that was. */
    boolean mightContain(long entry) {
        long bits = BloomLine.hash(entry & keyMask);
        int line = line(entry);
        long first = words.get(line + BloomLine.firstWord(bits));
        long second = words.get(line + BloomLine.secondWord(bits));
        return ((~first & BloomLine.firstMask(bits)) | (~second & BloomLine.secondMask(bits))) == 0;
    }

    /** Reads an entry's line; returns a number for {@link Touches#keep}. */
    long touch(long entry) {
        return words.get(line(entry));
    }

    /** Adds an entry. */
    void insert(long entry) {
        add(entry);
    }

    /** Adds an entry; returns whether it was certainly absent. */
    boolean add(long entry) {
        long bits = BloomLine.hash(entry & keyMask);
        int line = line(entry);
        int firstAt = line + BloomLine.firstWord(bits);
        int secondAt = line + BloomLine.secondWord(bits);
        long first = words.get(firstAt);
        long second = words.get(secondAt);
        long newFirst = first | BloomLine.firstMask(bits);
        long newSecond = second | BloomLine.secondMask(bits);
        // One branch for both: the first word alone often has all of its bits, at random.
        if (((newFirst ^ first) | (newSecond ^ second)) == 0) {
            return false;
        }
        words.set(firstAt, newFirst);
        words.set(secondAt, newSecond);
        keys++;
        return true;
    }

    /** Index of the first word of an entry's line. */
    private int line(long entry) {
        int keyGroup = (Entries.keyGroup(entry) >> partBits) - firstKeyGroup;
        int before = linesBefore[keyGroup];
        long lines = linesBefore[keyGroup + 1] - (long) before;
        // The part, if any, followed by the hash: the 32 bits after the whole key group.
        long highHash = ((entry & keyMask) >>> (HIGH_HASH_SHIFT + partBits)) & HIGH_HASH_MASK;
        // Multiplied as a fraction of 2^32: monotone, and less than lines.
        return (before + (int) ((highHash * lines) >>> Integer.SIZE)) * BloomLine.WORDS;
    }

    /** Entries that it was made for. */
    long capacity() {
        return capacity;
    }

    /** Entries that it can still take; negative if it holds more than it was made for. */
    long room() {
        return capacity - keys;
    }

    long sizeInBytes() {
        return words.length() * Long.BYTES + (long) linesBefore.length * Integer.BYTES;
    }
}
