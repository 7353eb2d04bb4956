/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

/**
 * A multiset of 64-bit hashes: how many copies of a hash were inserted and not removed. Hashes that
 * cannot be told apart (with the probability of a false positive) are counted together, so a count
 * is never too small, except for a saturated one, which is its maximum and says "at least".
 */
public interface CountingFilter extends RemovableFilter {

    /**
     * Inserts {@code copies} copies of {@code hash}, on top of any that are there already.
     *
     * @param copies at least 1
     * @throws FilterFullException if there is no room; the filter is unchanged
     */
    void insert(long hash, int copies);

    /** Copies held of {@code hash}, 0 only if it is certainly absent; at most {@link #maxCount}. */
    long count(long hash);

    /**
     * The greatest number of copies that can be told apart. A count that reaches it is saturated:
     * it means "at least this count", and removals leave it as it is.
     */
    long maxCount();

    /** Removes all copies of {@code hash}; returns how many were held, by {@link #count}. */
    long removeAll(long hash);
}
