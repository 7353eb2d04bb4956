/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

/**
 * Few hashes that differ in their first bits: if an entry keeps {@value #MIN_BITS}, or can tell
 * that many hashes apart, no two are taken for each other, and a set of them is an exact model of a
 * filter.
 */
final class Universe {

    /** Bits in which they differ. */
    static final int BITS = 10;

    static final int HASHES = 1 << BITS;

    /**
     * The two bits after an id leave a quarter of its range before its hash and two quarters after
     * it, so that no part of a range of hashes, wherever it begins, has two of them.
     */
    static final int MIN_BITS = BITS + 2;

    private static final long MIX = 0x9e3779b97f4a7c15L;

    private Universe() {}

    /** The hash of an id from 0 to {@link #HASHES} - 1: the id, 01, then anything. */
    static long hash(int id) {
        long anything = (id + 1) * MIX;
        return ((long) id << 2 | 1) << (Long.SIZE - MIN_BITS)
                | (anything ^ anything >>> 29) >>> MIN_BITS;
    }

    /** The id of an entry's hash. */
    static int id(long entry) {
        int hashBits = 47;
        return (int) (entry >>> (1 + hashBits - BITS)) & (HASHES - 1);
    }
}
