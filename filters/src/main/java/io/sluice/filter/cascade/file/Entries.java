/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.annotation.Internal;

/**
 * What a cascade keeps of a key: one {@code long}, low bits first:
 *
 * <pre>
 *   | tombstone (1) | hash (47) | key group (15) | 0 (1) |
 * </pre>
 *
 * <p>The hash part is the 47 highest bits of the 64-bit hash, of which a file keeps the {@code p}
 * highest; the others are 0. Never negative, so signed order is the order of key group, then hash.
 * Two entries that differ only in the tombstone bit belong to one key, and are adjacent.
 *
 * <p>Keeping fewer bits keeps the order: files of different p can be merged.
 */
@Internal
public final class Entries {

    /** The most bits of a hash that an entry holds. */
    public static final int MAX_HASH_BITS = 47;

    /** Key groups range from 0 to one less than this. */
    public static final int MAX_KEY_GROUPS = 1 << 15;

    /** Set in an entry that says "removed". */
    public static final long TOMBSTONE = 1;

    private static final int HASH_SHIFT = 1;
    private static final int KEY_GROUP_SHIFT = HASH_SHIFT + MAX_HASH_BITS;

    private Entries() {}

    /** The entry of a hash with all 47 bits; not a tombstone. */
    public static long of(int keyGroup, long hash) {
        return (long) keyGroup << KEY_GROUP_SHIFT
                | hash >>> (Long.SIZE - MAX_HASH_BITS) << HASH_SHIFT;
    }

    /** The smallest possible entry of a key group. */
    public static long firstOf(int keyGroup) {
        return (long) keyGroup << KEY_GROUP_SHIFT;
    }

    /**
     * The greatest entry of all key groups below {@code endKeyGroup}. An exclusive end could not be
     * expressed for the last key group of all: it would be negative.
     *
     * @param endKeyGroup from 1 to {@value #MAX_KEY_GROUPS}
     */
    public static long lastBefore(int endKeyGroup) {
        // For the last key group of all this wraps around, to the greatest long.
        return firstOf(endKeyGroup) - 1;
    }

    public static int keyGroup(long entry) {
        return (int) (entry >>> KEY_GROUP_SHIFT);
    }

    /** The 47 highest bits of the hash, as a number; those that were not kept are 0. */
    public static long hash(long entry) {
        return entry >>> HASH_SHIFT & (1L << MAX_HASH_BITS) - 1;
    }

    public static boolean isTombstone(long entry) {
        return (entry & TOMBSTONE) != 0;
    }

    /**
     * What to AND an entry with so that it keeps {@code hashBits} bits of its hash, and its
     * tombstone bit.
     *
     * @param hashBits from 1 to {@value #MAX_HASH_BITS}
     */
    public static long mask(int hashBits) {
        return -1L << (MAX_HASH_BITS - hashBits + HASH_SHIFT) | TOMBSTONE;
    }

    /** Bits that are 0 in every entry of {@code hashBits} bits, at the low end of the hash. */
    static int droppedBits(int hashBits) {
        return MAX_HASH_BITS - hashBits;
    }

    static void checkHashBits(int hashBits) {
        if (hashBits < 1 || hashBits > MAX_HASH_BITS) {
            throw new IllegalArgumentException(
                    "hashBits must be from 1 to " + MAX_HASH_BITS + ", got " + hashBits);
        }
    }
}
