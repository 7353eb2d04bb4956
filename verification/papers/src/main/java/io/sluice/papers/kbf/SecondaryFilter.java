/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.kbf;

import io.sluice.filter.KeyValueFilter;

/**
 * The paper's s-kBF, a second filter from a value to its encoding. A false positive gives a new
 * value the encoding of another one, and a query that fails gives a value a second one. Not
 * thread-safe.
 */
final class SecondaryFilter {
    private final PaperKeyValueFilter numbers;
    private int given;

    SecondaryFilter(int capacity, double p) {
        numbers =
                new PaperKeyValueFilter(Cells.of(p, 1, capacity), XorCode.bch(2 * capacity), false);
    }

    /** The number of a value's encoding; a new one if it seems to have none. */
    int number(long valueHash) {
        int known = numbers.query(valueHash);
        if (known >= 0) {
            return known;
        }
        if (known == KeyValueFilter.ABSENT) {
            numbers.insert(valueHash, given);
        }
        return given++;
    }
}
