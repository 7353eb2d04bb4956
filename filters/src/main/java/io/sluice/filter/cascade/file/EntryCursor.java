/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.annotation.Internal;
import io.sluice.filter.merge.SortedCursor;
import java.io.Closeable;
import java.io.IOException;

/**
 * Entries in ascending order, each key at most once: what merges read and what files are written
 * from. Read in batches, so that many entries share the cost of a call. Not thread-safe.
 */
@Internal
public interface EntryCursor extends SortedCursor<IOException>, Closeable {

    /**
     * Puts the next entries into {@code into}, from index 0.
     *
     * @param into of length at least 1; longer than {@value LevelFile#MAX_PAGE_ENTRIES} saves
     *     copying
     * @return how many were put there; 0 only at the end
     * @throws io.sluice.filter.format.CorruptFilterException if a file is damaged
     */
    @Override
    int next(long[] into) throws IOException;

    /** Returns the length of a page. */
    @Override
    default int batchLength() {
        return LevelFile.MAX_PAGE_ENTRIES;
    }

    /** The p of the entries: bits of the hash in each, from 1 to {@value Entries#MAX_HASH_BITS}. */
    int hashBits();

    /** Gives back what the cursor holds. Idempotent. */
    @Override
    default void close() throws IOException {}
}
