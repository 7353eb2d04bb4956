/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo;

/**
 * How large a counting cuckoo filter is and what its slots hold. Two filters can be compared slot
 * by slot exactly if their shapes are equal.
 *
 * <p>Any even number of buckets will do, see {@code CuckooBuckets}. Widths with f + c = 8, 16 or 32
 * put a bucket on 32, 64 or 128 aligned bits, so that it never lies on two cache lines; others are
 * packed without gaps, and some of their buckets do.
 *
 * @param fingerprintBits f, from {@value #MIN_FINGERPRINT_BITS} to {@value #MAX_FINGERPRINT_BITS}
 * @param counterBits c, from {@value #MIN_COUNTER_BITS} to {@value #MAX_COUNTER_BITS}
 * @param buckets m, even, from 2 to 2^28
 */
public record CuckooShape(int fingerprintBits, int counterBits, long buckets) {

    /** Slots of a bucket. */
    public static final int SLOTS = 4;

    /** With fewer, most keys would have the same fingerprint as a neighbour. */
    public static final int MIN_FINGERPRINT_BITS = 4;

    /**
     * Two fingerprints are compared in a word of 64 bits; the other half of a hash is the index.
     */
    public static final int MAX_FINGERPRINT_BITS = 32;

    /** With one bit every count would be saturated. */
    public static final int MIN_COUNTER_BITS = 2;

    public static final int MAX_COUNTER_BITS = 32;

    /** Indices come from 32 bits of a hash: with many more buckets some would get fewer hashes. */
    public static final long MAX_BUCKETS = 1L << 28;

    public CuckooShape {
        check("fingerprintBits", fingerprintBits, MIN_FINGERPRINT_BITS, MAX_FINGERPRINT_BITS);
        check("counterBits", counterBits, MIN_COUNTER_BITS, MAX_COUNTER_BITS);
        check("buckets", buckets, 2, MAX_BUCKETS);
        if ((buckets & 1) != 0) {
            throw new IllegalArgumentException(
                    "buckets must be even, got " + buckets + ": use " + (buckets + 1));
        }
    }

    private static void check(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    name + " must be between " + least + " and " + most + ", got " + value);
        }
    }

    /**
     * The smallest shape that holds {@code capacity} different hashes and reports an absent one
     * with at most this probability.
     *
     * @param capacity at least 1
     * @param fpp in (0, 1); below about 2^-29 no width is enough
     * @param counterBits see {@link #counterBits}
     */
    public static CuckooShape sized(long capacity, double fpp, int counterBits) {
        long buckets = CuckooSizing.buckets(capacity);
        double load = (double) capacity / (SLOTS * buckets);
        return new CuckooShape(CuckooSizing.fingerprintBits(fpp, load), counterBits, buckets);
    }

    /** Slots of all buckets: the most different hashes that could be held. */
    public long slots() {
        return SLOTS * buckets;
    }

    /** The greatest count of a slot; it means "at least this count". */
    public long maxCount() {
        return (1L << counterBits) - 1;
    }

    /** Bits of a bucket. */
    public int bucketBits() {
        return SLOTS * (fingerprintBits + counterBits);
    }

    /** Words of all buckets together, the last one rounded up. */
    public long words() {
        return (buckets * bucketBits() + Long.SIZE - 1) / Long.SIZE;
    }

    /**
     * Probability that an absent hash is reported when this share of the slots is in use, each by
     * another fingerprint or in other buckets: the most there can be.
     */
    public double fpp(double load) {
        return CuckooSizing.fpp(fingerprintBits, load);
    }
}
