/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import io.sluice.filter.FilterFullException;

/** What a full filter grows into, and the exception if it may not grow. */
final class Growth {

    private Growth() {}

    /**
     * The quotient bits of a full filter's successor: the fewest with room for one more. In a small
     * filter one more bit may not be enough, because capacities are rounded.
     *
     * @param grows whether the filter was built to grow
     * @param size fingerprints held
     * @throws FilterFullException if it was not, or cannot grow
     */
    static int nextQuotientBits(Blocks blocks, double maxLoad, boolean grows, long size) {
        if (!grows) {
            throw full(blocks, maxLoad, "and was not built to grow");
        }
        int most =
                Math.min(
                        QuotientSizing.MAX_QUOTIENT_BITS,
                        blocks.quotientBits + blocks.remainderBits - 1);
        int next = blocks.quotientBits + 1;
        while (next <= most && QuotientSizing.capacity(next, maxLoad) <= size) {
            next++;
        }
        if (next > most) {
            throw full(blocks, maxLoad, "and fingerprints are too short to grow further");
        }
        return next;
    }

    static FilterFullException full(Blocks blocks, double maxLoad, String why) {
        return new FilterFullException(
                "2^"
                        + blocks.quotientBits
                        + " slots are filled to the load of "
                        + maxLoad
                        + ", "
                        + why);
    }

    /**
     * Checks that {@code size} fingerprints may be divided like this.
     *
     * @throws IllegalArgumentException if not
     */
    static void checkRoom(int quotientBits, int fingerprintBits, double maxLoad, long size) {
        QuotientSizing.checkQuotientBits(quotientBits);
        QuotientSizing.checkRemainderBits(quotientBits, fingerprintBits - quotientBits);
        long room = QuotientSizing.capacity(quotientBits, maxLoad);
        if (size > room) {
            throw new IllegalArgumentException(
                    "quotientBits "
                            + quotientBits
                            + " have room for "
                            + room
                            + " fingerprints, there are "
                            + size);
        }
    }
}
