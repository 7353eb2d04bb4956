/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.hash;

import com.dynatrace.hash4j.hashing.Hasher64;
import java.io.Serializable;

/**
 * The hash function of {@link Hashing} with a seed of your own. The seed goes into XXH3 together
 * with the key, before any of the key is lost, so keys that were made to collide under one seed
 * collide under another no more often than others.
 *
 * <p>What the public seed costs: keys that collide under it can be written down without a search,
 * so anyone that chooses keys can have a new one taken for a known one. And 64 bits are finite:
 * with {@code n} keys held, a new one collides with probability {@code n / 2^64} whatever a filter
 * promises, which is 1e-12 at 1.8e7 keys. A seed does nothing about the second problem. Against the
 * first it does what a fast hash can: XXH3 is not a cryptographic function, so a secret seed stops
 * an attacker that neither knows it nor can watch which keys collide.
 *
 * <p>Thread-safe; allocates nothing per hash. The seed is a secret: {@link #toString} does not
 * reveal it.
 */
public final class SeededHashing implements Serializable {

    private static final long serialVersionUID = 1L;

    /** With the public seed: the values of {@link Hashing}. */
    public static final SeededHashing PUBLIC = new SeededHashing(Hashing.SEED);

    private final long seed;
    private final transient Hasher64 hasher;

    private SeededHashing(long seed) {
        this.seed = seed;
        this.hasher = com.dynatrace.hash4j.hashing.Hashing.xxh3_64(seed);
    }

    /** The hash function with {@code seed}; any value is a seed. */
    public static SeededHashing of(long seed) {
        return seed == Hashing.SEED ? PUBLIC : new SeededHashing(seed);
    }

    /** The seed, a secret unless it is {@link Hashing#SEED}. */
    public long seed() {
        return seed;
    }

    /** As {@link Hashing#hash(long)}. */
    public long hash(long v) {
        return hasher.hashLongToLong(v);
    }

    /** As {@link Hashing#hash(CharSequence)}. */
    public long hash(CharSequence s) {
        return hasher.hashCharsToLong(s);
    }

    /** As {@link Hashing#hash(byte[])}. */
    public long hash(byte[] b) {
        return hasher.hashBytesToLong(b);
    }

    /** As {@link Hashing#hash(byte[], int, int)}. */
    public long hash(byte[] b, int off, int len) {
        return hasher.hashBytesToLong(b, off, len);
    }

    /** As {@link Hashing#combine}. */
    public long combine(long first, long second) {
        return hasher.hashLongLongToLong(first, second);
    }

    private Object readResolve() {
        return of(seed);
    }

    @Override
    public String toString() {
        return seed == Hashing.SEED ? "XXH3 with the public seed" : "XXH3 with a secret seed";
    }
}
