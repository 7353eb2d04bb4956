/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.memory;

import io.sluice.filter.annotation.Internal;

/**
 * Position of the k-th set bit of a word, without a branch. Java 17 has no intrinsic for it.
 *
 * <p>Vigna, <i>Broadword Implementation of Rank/Select Queries</i> (2008, algorithm 2): prefix sums
 * of the bytes' populations by one multiplication, a comparison of all bytes at once, and a table
 * for the remaining byte.
 */
@Internal
public final class Select {

    /** A one in every byte. */
    private static final long ONES = 0x0101_0101_0101_0101L;

    private static final long HIGHS = ONES << 7;

    /** At rank * 256 + byte: position of the byte's set bit of that rank; 2 KiB. */
    private static final byte[] IN_BYTE = new byte[Byte.SIZE << Byte.SIZE];

    static {
        for (int value = 0; value < 1 << Byte.SIZE; value++) {
            int rank = 0;
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                if ((value >>> bit & 1) != 0) {
                    IN_BYTE[rank++ << Byte.SIZE | value] = (byte) bit;
                }
            }
        }
    }

    private Select() {}

    /**
     * Position of the set bit of {@code word} that has {@code rank} set bits below it.
     *
     * @param rank from 0 to one less than the number of set bits
     */
    public static int bit(long word, int rank) {
        long sums = word - (word >>> 1 & 0x5555_5555_5555_5555L);
        sums = (sums & 0x3333_3333_3333_3333L) + (sums >>> 2 & 0x3333_3333_3333_3333L);
        // Byte i: set bits in bytes 0 to i, at most 64, so that no byte carries into the next.
        sums = (sums + (sums >>> 4) & 0x0f0f_0f0f_0f0f_0f0fL) * ONES;
        // The high bit of byte i stays if its sum is at most the rank: the bit is further up.
        int place = Long.bitCount((rank * ONES | HIGHS) - sums & HIGHS) * Byte.SIZE;
        int rankInByte = rank - (int) (sums << Byte.SIZE >>> place & 0xff);
        return place + IN_BYTE[rankInByte << Byte.SIZE | (int) (word >>> place & 0xff)];
    }
}
