/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

/**
 * Arithmetic of quotient filters: capacity, false-positive probability, bits per key, widths. Pure
 * functions.
 *
 * <p>Load is fingerprints over quotients, n / 2^q. An absent hash is reported if its quotient and
 * remainder are held: p = 1 - e^(-load / 2^r) = 1 - e^(-n / 2^(q + r)) (Bender et al., section 2).
 * It depends on the length of fingerprints, not on where they are divided, so resizing does not
 * change it.
 */
public final class QuotientSizing {

    /**
     * Below this nearly all memory would be empty: probably a mistake, such as a percentage instead
     * of a share.
     */
    public static final double MIN_MAX_LOAD = 1.0 / 64;

    /** Lookups and insertions stay fast up to here. */
    public static final double DEFAULT_MAX_LOAD = 0.95;

    /** Limit that lets one multiplication find a quotient's block. */
    public static final int MAX_QUOTIENT_BITS = 36;

    /** Limit that keeps fingerprints from being negative. */
    public static final int MAX_FINGERPRINT_BITS = 63;

    private QuotientSizing() {}

    /** Fingerprints that 2^q quotients hold up to a load in [1/64, 1]; at least 1. */
    public static long capacity(int quotientBits, double maxLoad) {
        checkQuotientBits(quotientBits);
        checkLoad(maxLoad);
        return Math.max(1, (long) (maxLoad * (double) (1L << quotientBits)));
    }

    /** The fewest quotient bits for {@code capacity} fingerprints at a load in [1/64, 1]. */
    public static int quotientBits(long capacity, double maxLoad) {
        if (capacity < 1 || capacity > capacity(MAX_QUOTIENT_BITS, maxLoad)) {
            throw new IllegalArgumentException(
                    "capacity must be between 1 and "
                            + capacity(MAX_QUOTIENT_BITS, maxLoad)
                            + ", got "
                            + capacity);
        }
        int bits = 1;
        while (capacity(bits, maxLoad) < capacity) {
            bits++;
        }
        return bits;
    }

    /** The fewest fingerprint bits with which {@code count} keys give at most {@code fpp}. */
    public static int fingerprintBits(long count, double fpp) {
        if (count < 1) {
            throw new IllegalArgumentException("count must be at least 1, got " + count);
        }
        if (!(fpp > 0 && fpp < 1)) {
            throw new IllegalArgumentException("fpp must be between 0 and 1, got " + fpp);
        }
        double bits = Math.log(count / -Math.log1p(-fpp)) / Math.log(2);
        if (bits > MAX_FINGERPRINT_BITS) {
            throw new IllegalArgumentException(
                    "fpp "
                            + fpp
                            + " with "
                            + count
                            + " keys needs fingerprints of more than "
                            + MAX_FINGERPRINT_BITS
                            + " bits: use an exact set of the 64-bit hashes");
        }
        return Math.max(2, (int) Math.ceil(bits));
    }

    /** Probability that an absent hash is reported, with {@code count} keys held. */
    public static double fpp(long count, int fingerprintBits) {
        return -Math.expm1(-(double) count / Math.scalb(1.0, fingerprintBits));
    }

    /** Bytes of the blocks, all metadata included. */
    public static long sizeInBytes(int quotientBits, int remainderBits) {
        checkQuotientBits(quotientBits);
        checkRemainderBits(quotientBits, remainderBits);
        return Blocks.words(quotientBits, remainderBits) * Long.BYTES;
    }

    /** Bits for each of {@code count} keys. */
    public static double bitsPerKey(int quotientBits, int remainderBits, long count) {
        return 8.0 * sizeInBytes(quotientBits, remainderBits) / count;
    }

    /**
     * Bits for each slot: the remainder, and metadata of 2 2/3 bits; remainders of a multiple of 4
     * bits fill their words, others leave up to 1 bit per slot unused.
     */
    public static double bitsPerSlot(int remainderBits) {
        return (double) Blocks.stride(remainderBits) * Long.SIZE / Blocks.SLOTS;
    }

    static void checkQuotientBits(int quotientBits) {
        if (quotientBits < 1 || quotientBits > MAX_QUOTIENT_BITS) {
            throw new IllegalArgumentException(
                    "quotientBits must be between 1 and "
                            + MAX_QUOTIENT_BITS
                            + ", got "
                            + quotientBits
                            + ": use several filters for more");
        }
    }

    static void checkRemainderBits(int quotientBits, int remainderBits) {
        int most = MAX_FINGERPRINT_BITS - quotientBits;
        if (remainderBits < 1 || remainderBits > most) {
            throw new IllegalArgumentException(
                    "remainderBits must be between 1 and "
                            + most
                            + " with "
                            + quotientBits
                            + " quotient bits, got "
                            + remainderBits
                            + (remainderBits < 1
                                    ? ": fingerprints are too short for so many quotients"
                                    : ""));
        }
    }

    static void checkLoad(double maxLoad) {
        if (!(maxLoad >= MIN_MAX_LOAD && maxLoad <= 1)) {
            throw new IllegalArgumentException(
                    "maxLoad must be between "
                            + MIN_MAX_LOAD
                            + " and 1, got "
                            + maxLoad
                            + ": leave it at "
                            + DEFAULT_MAX_LOAD);
        }
    }
}
