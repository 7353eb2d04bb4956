/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.ccf;

import io.sluice.filter.hash.Hashing;

/** A counting Bloom filter with cells of 8 bits, which saturate; the least cell is the count. */
final class CountingBloomFilter {
    private static final int MOST = 255;

    private final byte[] cells;
    private final int positions;

    /** A filter of {@code bitsPerElement}, with ln 2 positions for each cell of an element. */
    CountingBloomFilter(long elements, double bitsPerElement) {
        double cellsPerElement = bitsPerElement / Byte.SIZE;
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
        int least = MOST;
        for (int i = 0; i < positions; i++) {
            least = Math.min(least, cells[at(hash, i)] & MOST);
        }
        return least;
    }

    private int at(long hash, int i) {
        long mixed = Hashing.mix(hash + (i + 1) * 0x9E3779B97F4A7C15L);
        return (int) (((mixed >>> 32) * cells.length) >>> 32);
    }
}
