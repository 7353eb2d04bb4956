/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.annotation.Internal;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.memory.Words;

/**
 * Where overviews are, and how large they may be. An overview is optional: without a grant the
 * filter does without it. Called by owners and by background threads.
 */
@Internal
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
     * @param wanted bytes that it would like to have
     * @param least the fewest bytes with which it would be of use
     * @return what is granted: from {@code least} to {@code wanted}, or 0
     */
    long reserve(long wanted, long least);

    /** Gives back what {@link #reserve} has granted. */
    void release(long bytes);

    /**
     * That many words of zero, out of what was reserved; they are {@linkplain Words#release
     * released} before the reservation.
     *
     * @throws OutOfMemoryError if there is no memory; the filter then does without the overview
     */
    Words allocate(long words);
}
