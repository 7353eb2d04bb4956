/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.capture.SplitMix64;

/**
 * Size of a Bloom filter and where the bits of a key are: double hashing of a well mixed key, whose
 * error is that of independent functions except for terms of lower order (Kirsch, Mitzenmacher
 * 2006).
 *
 * @param bits of the whole filter, a multiple of a page's
 * @param functions bits that a key sets
 */
record BloomPositions(long bits, int functions) {
    private static final long BITS_PER_PAGE = 8L * DirectFile.PAGE_BYTES;

    /** The smallest filter of whole pages for {@code keys} keys with false-positive rate fpp. */
    static BloomPositions forKeys(long keys, double fpp) {
        double bitsPerKey = Math.log(1 / fpp) / (Math.log(2) * Math.log(2));
        long pages = (long) Math.ceil(keys * bitsPerKey / BITS_PER_PAGE);
        return new BloomPositions(
                Math.max(1, pages) * BITS_PER_PAGE,
                Math.max(1, (int) Math.round(bitsPerKey * Math.log(2))));
    }

    long pages() {
        return bits / BITS_PER_PAGE;
    }

    long bytes() {
        return bits / 8;
    }

    /** The distance from one position to the next, before they are scaled to the filter. */
    static long step(long key) {
        return SplitMix64.mix(key ^ SplitMix64.GAMMA) | 1;
    }

    /** Position {@code i} of {@code key}, from 0 to bits - 1; {@code step} is {@link #step}. */
    long position(long key, long step, int i) {
        return Math.multiplyHigh((key + i * step) >>> 1, 2 * bits);
    }
}
