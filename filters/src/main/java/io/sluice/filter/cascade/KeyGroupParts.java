/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.cascade.file.Entries;

/**
 * How key groups are divided: each into {@code count} parts of the range of hashes, of equal size
 * and in their order. Inside a filter every part is a key group of its own.
 *
 * <p>This lets an entry keep as much of a hash as it has to and no more: p bits of a hash in one of
 * m parts tell m * 2^p hashes from each other, and m need not be a power of two. With whole key
 * groups the number of values would be rounded up to a power of two, which costs up to a bit per
 * entry. Bits that are cut off later leave the parts as they are, so files of different p can be
 * merged; files of different m cannot, so a filter stays divided as it was first.
 *
 * <p>Nothing is lost by the division: the part and the place in it are the exact high and low
 * halves of hash times m, and ascend with the hash.
 *
 * @param count m, from 1 to {@link CascadeOptions#MAX_KEY_GROUPS}
 */
record KeyGroupParts(int count) {

    /** Key groups are not divided. */
    static final KeyGroupParts WHOLE = new KeyGroupParts(1);

    /**
     * Only odd ones: twice as many parts with one bit less give the same values. With these the
     * number of values is at most a quarter more than wanted, the distance from 4 to 5. More parts
     * would fit small buffers to their memory less well.
     */
    private static final int[] CHOICE = {1, 3, 5, 7};

    KeyGroupParts {
        if (count < 1 || count > Entries.MAX_KEY_GROUPS) {
            throw new IllegalArgumentException(
                    "parts of a key group must be from 1 to "
                            + Entries.MAX_KEY_GROUPS
                            + ", got "
                            + count);
        }
    }

    /**
     * The division that gives entries the fewest bits, among those that leave room for all key
     * groups and for a buffer.
     *
     * @param bufferBytes what the smallest buffers may take
     */
    static KeyGroupParts choose(
            double falsePositiveProbability, long capacity, KeyGroups keyGroups, long bufferBytes) {
        KeyGroupParts best = WHOLE;
        double least = Double.POSITIVE_INFINITY;
        for (int count : CHOICE) {
            if ((long) keyGroups.end() * count > Entries.MAX_KEY_GROUPS) {
                break;
            }
            KeyGroupParts parts = new KeyGroupParts(count);
            KeyGroups divided = parts.of(keyGroups);
            Eras eras = new Eras(falsePositiveProbability, (double) capacity / divided.count());
            double values = Math.scalb((double) count, eras.hashBits(0));
            if (values < least && BufferPool.leastBytes(divided, parts, eras) <= bufferBytes) {
                least = values;
                best = parts;
            }
        }
        return best;
    }

    /**
     * The finest division that leaves the number of every key group of a set its place in an entry:
     * a power of two that depends on nothing but the number of them. So all filters of the set are
     * divided alike, whatever part of it each holds, and however often it is dealt out anew; and
     * hashes get all bits of an entry that the numbers of key groups do not need.
     *
     * @param keyGroups of the whole set
     */
    static KeyGroupParts finest(int keyGroups) {
        return new KeyGroupParts(Integer.highestOneBit(Entries.MAX_KEY_GROUPS / keyGroups));
    }

    /**
     * Low bits of an internal key group's number that are bits of the hash: what is kept for each
     * key group need not be kept for all 2^bits of them.
     */
    int hashBits() {
        return Integer.numberOfTrailingZeros(count);
    }

    /** The internal key groups. */
    KeyGroups of(KeyGroups keyGroups) {
        return new KeyGroups(keyGroups.first() * count, keyGroups.end() * count);
    }

    /** The key groups that are divided into these. */
    KeyGroups whole(KeyGroups divided) {
        return new KeyGroups(divided.first() / count, divided.end() / count);
    }

    /**
     * An entry as callers know it: with its key group, and a hash that is the least of those that
     * it stands for, or just below them. Ascends with the entry.
     */
    long whole(long entry) {
        if (count == 1) {
            return entry;
        }
        int part = Entries.keyGroup(entry) % count;
        long product = ((long) part << Entries.MAX_HASH_BITS) + Entries.hash(entry);
        long hash = (product / count) << (Long.SIZE - Entries.MAX_HASH_BITS);
        return Entries.of(Entries.keyGroup(entry) / count, hash) | (entry & Entries.TOMBSTONE);
    }

    /** The entry of a hash in a key group, with as many bits of the hash as entries ever keep. */
    long entry(int keyGroup, long hash) {
        // The 128 bits of hash * count: the high half is less than count. multiplyHigh treats the
        // hash as signed; for a negative one the result is too small by count.
        int part = (int) (Math.multiplyHigh(hash, count) + ((hash >> 63) & count));
        return Entries.of(keyGroup * count + part, hash * count);
    }
}
