/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.filter.cascade.CascadeOptions;
import io.sluice.filter.cascade.CascadeOptionsBuilder;

/**
 * How large a run is.
 *
 * @param keys in the largest sets
 * @param fpp requested false-positive probability
 * @param bufferBytes of the cascade filter: half of it holds at most a fiftieth of the keys
 * @param cacheBytes for pages of files when memory is scarce: about a twentieth of them
 * @param peerSeconds after which a slow structure stops
 * @param deviceBytes of the file for measuring the device
 * @param probeSeconds of one measurement of random reads
 */
record Scale(
        long keys,
        double fpp,
        long bufferBytes,
        long cacheBytes,
        double peerSeconds,
        long deviceBytes,
        double probeSeconds) {
    /** The paper's smallest ratio of data to memory buffer. */
    static final int KEYS_PER_BUFFERED_KEY = 50;

    private static final long MIN_CACHE_BYTES = 1 << 16;
    private static final long MIN_KEYS = 200_000;
    private static final double MIN_FPP = 1e-6;
    private static final double MAX_FPP = 0.1;

    /** Metadata per slot of the buffer, and padding to a whole number of slots. */
    private static final double BITS_BESIDE_REMAINDER = 4.5;

    static Scale of(long keys, boolean quick, double fpp, Double peerSeconds) {
        if (keys < MIN_KEYS) {
            throw new IllegalArgumentException(
                    "--keys must be at least "
                            + MIN_KEYS
                            + ", so that a fiftieth of them fills a buffer, got "
                            + keys);
        }
        if (!(fpp >= MIN_FPP && fpp <= MAX_FPP)) {
            throw new IllegalArgumentException(
                    "--fpp must be from " + MIN_FPP + " to " + MAX_FPP + ", got " + fpp);
        }
        double seconds = peerSeconds != null ? peerSeconds : quick ? 5 : 60;
        if (!(seconds > 0)) {
            throw new IllegalArgumentException("--peer-seconds must be positive, got " + seconds);
        }
        return new Scale(
                keys / InsertionCurve.BLOCK * InsertionCurve.BLOCK,
                fpp,
                bufferBytes(keys, fpp, keys / KEYS_PER_BUFFERED_KEY),
                Math.max(MIN_CACHE_BYTES, keys / 10),
                seconds,
                quick ? Math.min(1024, keys >> 14) << 20 : 8L << 30,
                quick ? Math.min(0.5, keys / 4e7) : 5);
    }

    /** Bytes of two buffers, each for at most {@code buffered} of {@code keys} keys. */
    static long bufferBytes(long keys, double fpp, long buffered) {
        int quotientBits = 63 - Long.numberOfLeadingZeros((long) (buffered / 0.9));
        double hashBits = Math.ceil(Math.log(keys / (15.0 / 16 * fpp)) / Math.log(2));
        double slotBits = hashBits - quotientBits + BITS_BESIDE_REMAINDER;
        return (long) (2 * slotBits / 8 * (1L << quotientBits));
    }

    /** Memory that each structure may use. */
    long memoryBytes() {
        return bufferBytes + cacheBytes;
    }

    /**
     * Bytes that hold all pages of all files, even while a merge has both its input and its output.
     */
    long allPagesBytes() {
        return (long) (2.2 * keys * (Math.log(1 / fpp) / Math.log(2) + 4) / 8);
    }

    /** Memory of the cascade filter without overview and summaries, with a scarce page cache. */
    CascadeOptionsBuilder options() {
        return CascadeOptions.builder()
                .falsePositiveProbability(fpp)
                .capacity(keys)
                .bufferBytes(bufferBytes)
                .pageCacheBytes(cacheBytes)
                .overviewBitsPerKey(0)
                .summaryBitsPerKey(0);
    }
}
