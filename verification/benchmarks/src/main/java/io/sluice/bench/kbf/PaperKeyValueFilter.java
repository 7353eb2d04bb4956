/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.keyvalue.code.CellCode;

/**
 * kBF as in the paper (Xiong, Yao, Cao, He, Algorithms 2 to 4): cells of 32 bits, a 3-bit counter
 * and an XOR of code words, and query rule 1: the first cell with one key is believed; pairs are
 * intersected only if there is no such cell. What could not work is corrected: the first insertion
 * counts once, the cells of a key differ, and all are checked before any is changed.
 */
final class PaperKeyValueFilter implements KeyValueFilter {

    static final int CELL_BITS = 32;
    private static final int MOST = 7;

    private final PartitionedCells cells;
    private final CellCode code;
    private final byte[] counters;
    private final long[] words;
    private long refused;

    PaperKeyValueFilter(PartitionedCells cells, CellCode code) {
        this.cells = cells;
        this.code = code;
        counters = new byte[cells.cells()];
        words = new long[cells.cells()];
        java.util.Arrays.fill(words, code.empty());
    }

    @Override
    public int query(long hash) {
        for (int i = 0; i < cells.probes(); i++) {
            if (counters[cells.position(hash, i)] == 0) {
                return ABSENT;
            }
        }
        for (int i = 0; i < cells.probes(); i++) {
            int at = cells.position(hash, i);
            if (counters[at] == 1) {
                long found = code.decode(words[at], 1);
                // A false positive has changed cells of other keys.
                if (found >= 0) {
                    return CellCode.lane(found, 0);
                }
            }
        }
        return intersectPairs(hash);
    }

    private int intersectPairs(long hash) {
        int first = ABSENT;
        int second = ABSENT;
        boolean any = false;
        for (int i = 0; i < cells.probes(); i++) {
            int at = cells.position(hash, i);
            long found =
                    counters[at] == MOST
                            ? CellCode.UNDECODABLE
                            : code.decode(words[at], counters[at]);
            if (found >= 0) {
                int a = CellCode.lane(found, 0);
                int b = CellCode.lane(found, 1);
                boolean keepFirst = !any || first == a || first == b;
                boolean keepSecond = !any || second == a || second == b;
                first = any ? (keepFirst ? first : ABSENT) : a;
                second = any ? (keepSecond ? second : ABSENT) : b;
                any = true;
            }
        }
        if (!any || (first != ABSENT && second != ABSENT)) {
            return AMBIGUOUS;
        }
        return Math.max(first, second);
    }

    @Override
    public void insert(long hash, int value) {
        for (int i = 0; i < cells.probes(); i++) {
            int at = cells.position(hash, i);
            words[at] = code.insert(words[at], value);
            counters[at] = (byte) Math.min(MOST, counters[at] + 1);
        }
    }

    @Override
    public boolean update(long hash, int oldValue, int newValue) {
        if (query(hash) != oldValue) {
            refused++;
            return false;
        }
        for (int i = 0; i < cells.probes(); i++) {
            int at = cells.position(hash, i);
            words[at] = code.replace(words[at], oldValue, newValue);
        }
        return true;
    }

    @Override
    public boolean delete(long hash, int value) {
        if (query(hash) != value) {
            refused++;
            return false;
        }
        for (int i = 0; i < cells.probes(); i++) {
            int at = cells.position(hash, i);
            words[at] = code.delete(words[at], value);
            counters[at] -= (byte) (counters[at] < MOST ? 1 : 0);
        }
        return true;
    }

    @Override
    public int values() {
        return code.symbols();
    }

    @Override
    public long refused() {
        return refused;
    }

    /** With the size of the paper's cells. */
    @Override
    public long sizeInBytes() {
        return (long) cells.cells() * CELL_BITS / Byte.SIZE;
    }
}
