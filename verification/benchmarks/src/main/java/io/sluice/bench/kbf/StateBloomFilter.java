/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.filter.KeyValueFilter;

/**
 * The stateful Bloom filter of Bonomi, Mitzenmacher, Panigrahy, Singh and Varghese, <i>Beyond Bloom
 * Filters: From Approximate Membership Checks to Approximate State Machines</i> (2006), as far as
 * its rules are known here: a cell holds a counter and a value; equal values keep it, a different
 * one turns it into "don't know", which stays until the cell is empty.
 *
 * <p>Bits per cell: 3 for a counter that sticks, and enough for the values and "don't know".
 */
final class StateBloomFilter implements KeyValueFilter {

    private static final int MOST = 7;
    private static final int DO_NOT_KNOW = -1;

    private final PartitionedCells cells;
    private final int values;
    private final byte[] counters;
    private final int[] held;
    private long refused;

    StateBloomFilter(PartitionedCells cells, int values) {
        this.cells = cells;
        this.values = values;
        counters = new byte[cells.cells()];
        held = new int[cells.cells()];
    }

    /** Bits of a packed cell. */
    static int cellBits(int values) {
        return 3 + Integer.SIZE - Integer.numberOfLeadingZeros(values);
    }

    @Override
    public int query(long hash) {
        int found = AMBIGUOUS;
        for (int i = 0; i < cells.probes(); i++) {
            int at = cells.position(hash, i);
            if (counters[at] == 0) {
                return ABSENT;
            }
            if (held[at] != DO_NOT_KNOW) {
                if (found >= 0 && found != held[at]) {
                    return ABSENT;
                }
                found = held[at];
            }
        }
        return found;
    }

    @Override
    public void insert(long hash, int value) {
        for (int i = 0; i < cells.probes(); i++) {
            int at = cells.position(hash, i);
            if (counters[at] == 0) {
                held[at] = value;
            } else if (held[at] != value) {
                held[at] = DO_NOT_KNOW;
            }
            counters[at] = (byte) Math.min(MOST, counters[at] + 1);
        }
    }

    @Override
    public boolean update(long hash, int oldValue, int newValue) {
        if (excludes(hash, oldValue)) {
            refused++;
            return false;
        }
        for (int i = 0; i < cells.probes(); i++) {
            int at = cells.position(hash, i);
            if (counters[at] == 1) {
                held[at] = newValue;
            } else if (held[at] != newValue) {
                held[at] = DO_NOT_KNOW;
            }
        }
        return true;
    }

    @Override
    public boolean delete(long hash, int value) {
        if (excludes(hash, value)) {
            refused++;
            return false;
        }
        for (int i = 0; i < cells.probes(); i++) {
            int at = cells.position(hash, i);
            if (counters[at] < MOST) {
                counters[at]--;
            }
        }
        return true;
    }

    private boolean excludes(long hash, int value) {
        for (int i = 0; i < cells.probes(); i++) {
            int at = cells.position(hash, i);
            if (counters[at] == 0 || (held[at] != DO_NOT_KNOW && held[at] != value)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public int values() {
        return values;
    }

    @Override
    public long refused() {
        return refused;
    }

    /** The size of packed cells. */
    @Override
    public long sizeInBytes() {
        return (long) cells.cells() * cellBits(values) / Byte.SIZE;
    }
}
