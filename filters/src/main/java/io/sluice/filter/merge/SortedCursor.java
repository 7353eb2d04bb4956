/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.merge;

/**
 * Numbers in ascending order, at least 0. Read in batches, so that many numbers share the cost of a
 * call. Not thread-safe.
 *
 * @param <E> what reading may throw
 */
public interface SortedCursor<E extends Exception> {

    /** The length of a batch, unless a cursor prefers another. */
    int BATCH = 1 << 10;

    /**
     * Puts the next numbers into {@code into}, from index 0.
     *
     * @param into of length at least 1
     * @return how many were put there; 0 only at the end
     */
    int next(long[] into) throws E;

    /** Returns the length of the array that a merge should pass to {@link #next}. */
    default int batchLength() {
        return BATCH;
    }

    /**
     * Returns how many numbers are left, as far as known without reading. Merges use it so that a
     * large input is copied no more often than a small one. May be wrong; 0 if it is not known.
     */
    default long expectedEntries() {
        return 0;
    }
}
