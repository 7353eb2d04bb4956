/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.annotation.Internal;
import java.io.Closeable;
import java.io.IOException;

/**
 * Entries in ascending order, each key at most once: what merges read and what files are written
 * from. Read in batches, so that many entries share the cost of a call. Not thread-safe.
 */
@Internal
public interface EntryCursor extends Closeable {

    /**
     * Puts the next entries into {@code into}, from index 0.
     *
     * @param into of length at least 1; longer than {@value LevelFile#MAX_PAGE_ENTRIES} saves
     *     copying
     * @return how many were put there; 0 only at the end
     * @throws io.sluice.filter.format.CorruptFilterException if a file is damaged
     */
    int next(long[] into) throws IOException;

    /** The p of the entries: bits of the hash in each, from 1 to {@value Entries#MAX_HASH_BITS}. */
    int hashBits();

    /**
     * How many entries are left, as far as known without reading: merges use it so that a large
     * input is copied no more often than a small one. May be wrong.
     */
    default long expectedEntries() {
        return 0;
    }

    /** Gives back what the cursor holds. Idempotent. */
    @Override
    default void close() throws IOException {}
}
