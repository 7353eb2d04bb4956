/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.rateless;

import java.util.Arrays;

/**
 * Symbols, each of three sums over the elements that it is made of: multiplicity times hash modulo
 * {@link PrimeField#PRIME}, multiplicity times checksum modulo {@value #CHECK_PRIME}, and
 * multiplicity modulo 2^64. 20 bytes a symbol. Not thread-safe.
 */
final class SymbolArray {

    /** The greatest prime of 32 bits: a checksum takes 4 bytes. */
    static final long CHECK_PRIME = (1L << 32) - 5;

    private long[] hashes;
    private int[] checks;
    private long[] counts;
    private int size;

    SymbolArray(int capacity) {
        hashes = new long[capacity];
        checks = new int[capacity];
        counts = new long[capacity];
    }

    /** The checksum of an element with this keyed hash. */
    static long check(long keyed) {
        return (keyed >>> 32) % CHECK_PRIME;
    }

    static boolean isCheck(long number) {
        return number >= 0 && number < CHECK_PRIME;
    }

    int size() {
        return size;
    }

    long hash(int index) {
        return hashes[index];
    }

    long check(int index) {
        return checks[index] & 0xffffffffL;
    }

    long count(int index) {
        return counts[index];
    }

    /** Appends a symbol; O(1) amortised. */
    void append(long hash, long check, long count) {
        if (size == hashes.length) {
            int capacity = Math.max(16, 2 * size);
            hashes = Arrays.copyOf(hashes, capacity);
            checks = Arrays.copyOf(checks, capacity);
            counts = Arrays.copyOf(counts, capacity);
        }
        hashes[size] = hash;
        checks[size] = (int) check;
        counts[size] = count;
        size++;
    }

    /**
     * Adds copies of an element to a symbol.
     *
     * @param copies negative to take them out
     */
    void add(int index, long hash, long check, long copies) {
        long product = PrimeField.multiply(PrimeField.residue(hash), PrimeField.ofSigned(copies));
        hashes[index] = PrimeField.add(hashes[index], product);
        checks[index] = (int) ((check(index) + weighted(check, copies)) % CHECK_PRIME);
        counts[index] += copies;
    }

    private static long weighted(long check, long copies) {
        return Long.remainderUnsigned(check * Math.floorMod(copies, CHECK_PRIME), CHECK_PRIME);
    }

    /**
     * Whether a symbol has the count and the checksum of these copies of an element and of nothing
     * else.
     */
    boolean isMadeOf(int index, long check, long copies) {
        return counts[index] == copies && check(index) == weighted(check, copies);
    }

    /** Whether nothing is left of the symbol. */
    boolean isEmpty(int index) {
        return hashes[index] == 0 && checks[index] == 0 && counts[index] == 0;
    }
}
