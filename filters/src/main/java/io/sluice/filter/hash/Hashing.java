/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.hash;

import com.dynatrace.hash4j.hashing.Hasher64;

/**
 * The one hash function of all filters: XXH3 (64 bits) with seed 0. A record's key is hashed once,
 * here; structures take the {@code long} and only remix it.
 *
 * <p>Equal keys of different types (the text "1" and the number 1) have unrelated hashes. The
 * values are stable for ever: filters persist {@link #XXH3_64} and {@link #SEED}, and another
 * algorithm would get another id. The seed is public: {@link SeededHashing} says what that costs,
 * and takes a different one. All methods are thread-safe and allocate nothing.
 */
public final class Hashing {

    /** Id of this algorithm in persistent formats. */
    public static final int XXH3_64 = 1;

    /** Seed of this algorithm in persistent formats. */
    public static final long SEED = 0;

    private static final Hasher64 HASHER = com.dynatrace.hash4j.hashing.Hashing.xxh3_64(SEED);

    private Hashing() {}

    /** Hashes the 8 bytes of {@code v}. */
    public static long hash(long v) {
        return HASHER.hashLongToLong(v);
    }

    /** Hashes the UTF-16 code units of {@code s}: equal contents, equal hashes. */
    public static long hash(CharSequence s) {
        return HASHER.hashCharsToLong(s);
    }

    /** Hashes all bytes of {@code b}. */
    public static long hash(byte[] b) {
        return HASHER.hashBytesToLong(b);
    }

    /** Hashes {@code len} bytes of {@code b} from {@code off}. */
    public static long hash(byte[] b, int off, int len) {
        return HASHER.hashBytesToLong(b, off, len);
    }

    /**
     * A permutation of the 64-bit numbers (the step of SplitMix64) after which every bit depends on
     * all bits of {@code x}. Structures apply this to their input before they take bits out of it,
     * so numbers that are not hashes, such as 0, 1, 2, ..., work as well as hashes. It does not
     * replace {@link #hash(long)}, whose seed is in every format.
     */
    public static long mix(long x) {
        long z = x + 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    /** Hashes a pair of hashes; the order matters. */
    public static long combine(long first, long second) {
        return HASHER.hashLongLongToLong(first, second);
    }
}
