/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import io.sluice.filter.FilterFullException;

/** What a full filter may become, and what is said if it may not. */
final class Growth {

    private Growth() {}

    /**
     * The quotient bits of a full filter's successor.
     *
     * @param grows whether it was built to have one
     * @throws FilterFullException if it was not, or cannot
     */
    static int nextQuotientBits(Blocks blocks, double maxLoad, boolean grows) {
        if (!grows) {
            throw full(blocks, maxLoad, "and was not built to grow");
        }
        if (blocks.remainderBits == 1 || blocks.quotientBits == QuotientSizing.MAX_QUOTIENT_BITS) {
            throw full(blocks, maxLoad, "and fingerprints are too short to grow further");
        }
        return blocks.quotientBits + 1;
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
     * Checks that {@code size} fingerprints may be divided so.
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
