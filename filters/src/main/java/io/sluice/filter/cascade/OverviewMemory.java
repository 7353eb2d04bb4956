/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.memory.Storage;
import io.sluice.filter.memory.Words;

/**
 * Where overviews are, and who says how large they may be. An overview is optional: what is not
 * granted is done without. Called by owners and by background threads.
 */
public interface OverviewMemory {

    /** The heap, without a limit. */
    OverviewMemory HEAP =
            new OverviewMemory() {
                @Override
                public long reserve(long wanted, long least) {
                    return wanted;
                }

                @Override
                public void release(long bytes) {}

                @Override
                public Words allocate(long words) {
                    return Words.allocate(Storage.HEAP, words);
                }
            };

    /**
     * Reserves memory for one overview.
     *
     * @param wanted bytes that it would have
     * @param least bytes with which it would still be of use
     * @return what is granted: from {@code least} to {@code wanted}, or 0
     */
    long reserve(long wanted, long least);

    /** Gives back what {@link #reserve} has granted. */
    void release(long bytes);

    /**
     * That many words of zero, of what was reserved; they are {@linkplain Words#release released}
     * before the reservation is.
     *
     * @throws OutOfMemoryError if there are none: the overview is done without
     */
    Words allocate(long words);
}
