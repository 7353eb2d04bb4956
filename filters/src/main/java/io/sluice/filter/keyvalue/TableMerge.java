/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import io.sluice.filter.FilterFullException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which tables of a {@link KeyValueBloomFilter} take in others, so that none has more keys than it
 * was sized for. Sound for tables of one shape and seed that have no key in common.
 */
final class TableMerge {

    private final long capacity;
    private final int mostTables;

    /**
     * @param capacity keys of a table
     * @param mostTables that there may be
     */
    TableMerge(long capacity, int mostTables) {
        this.capacity = capacity;
        this.mostTables = mostTables;
    }

    /** Merges newer tables into older ones; returns those that are left. */
    CellTable[] compact(CellTable[] tables) {
        List<CellTable> left = new ArrayList<>(Arrays.asList(tables));
        for (int into = 0; into < left.size(); into++) {
            for (int from = left.size() - 1; from > into; from--) {
                if (left.get(into).keys() + left.get(from).keys() <= capacity) {
                    CellTable merged = left.remove(from);
                    left.get(into).merge(merged);
                    merged.words().release();
                }
            }
        }
        return left.toArray(CellTable[]::new);
    }

    /**
     * For each of {@code others} the index of the first table with room, counting those that must
     * be added.
     *
     * @throws FilterFullException if that takes more tables than there may be, or one of {@code
     *     others} has more keys than a table here
     */
    int[] places(CellTable[] tables, CellTable[] others) {
        long[] keys = new long[mostTables];
        for (int i = 0; i < tables.length; i++) {
            keys[i] = tables[i].keys();
        }
        int[] places = new int[others.length];
        for (int i = 0; i < others.length; i++) {
            int at = 0;
            while (at < mostTables && keys[at] + others[i].keys() > capacity) {
                at++;
            }
            if (at == mostTables) {
                throw new FilterFullException(
                        "the keys of both take more than "
                                + mostTables
                                + " filters of "
                                + capacity
                                + " keys: remove keys, or allow more filters");
            }
            keys[at] += others[i].keys();
            places[i] = at;
        }
        return places;
    }
}
