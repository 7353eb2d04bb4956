/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.sample;

import io.sluice.filter.annotation.Internal;
import io.sluice.filter.memory.Words;
import java.util.Optional;

/** Lends the memory of a sample's table. */
@Internal
public interface SampleMemory {

    /**
     * Returns words that are all 0, or nothing if there is no memory for them.
     *
     * @param words a power of two, at least 16
     */
    Optional<Words> allocate(long words);

    /** Takes back words that {@link #allocate} returned. */
    void release(Words words);
}
