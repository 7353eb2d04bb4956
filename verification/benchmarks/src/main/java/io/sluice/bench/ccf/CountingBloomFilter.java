/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.ccf;

import io.sluice.capture.SplitMix64;

/**
 * The counting Bloom filter that the paper compares with: an element adds its copies to k cells;
 * its count is the smallest of them. Cells of 8 bits that stay at their maximum.
 *
 * <p>A baseline, not for use.
 */
final class CountingBloomFilter {
    static final int CELL_BITS = 8;

    private static final int MOST = (1 << CELL_BITS) - 1;

    private final byte[] cells;
    private final int positions;

    /**
     * A filter for {@code elements} elements with the given bits each, and the best number of
     * positions for membership.
     */
    CountingBloomFilter(long elements, double bitsPerElement) {
        double cellsPerElement = bitsPerElement / CELL_BITS;
        cells = new byte[(int) Math.round(elements * cellsPerElement)];
        positions = (int) Math.max(1, Math.round(cellsPerElement * Math.log(2)));
    }

    void insert(long hash, long copies) {
        for (int i = 0; i < positions; i++) {
            int at = at(hash, i);
            cells[at] = (byte) Math.min(MOST, (cells[at] & MOST) + copies);
        }
    }

    long count(long hash) {
        long least = MOST;
        for (int i = 0; i < positions; i++) {
            least = Math.min(least, cells[at(hash, i)] & MOST);
        }
        return least;
    }

    /** Positions of an element. */
    int positions() {
        return positions;
    }

    long sizeInBytes() {
        return cells.length;
    }

    private int at(long hash, int i) {
        long mixed = SplitMix64.mix(hash + (i + 1) * SplitMix64.GAMMA);
        return (int) (((mixed >>> 32) * cells.length) >>> 32);
    }
}
