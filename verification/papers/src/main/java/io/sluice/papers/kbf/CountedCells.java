/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.kbf;

import io.sluice.filter.KeyValueFilter;

/** What both filters of the papers share: cells with a counter of 3 bits, which sticks at 7. */
abstract class CountedCells implements KeyValueFilter {
    private static final int MOST = 7;

    final Cells cells;
    private final int values;
    private final byte[] counters;
    private long refused;

    CountedCells(Cells cells, int values) {
        this.cells = cells;
        this.values = values;
        counters = new byte[cells.all()];
    }

    /** Keys in cell {@code i} of a key. */
    final int count(long hash, int i) {
        return counters[cells.position(hash, i)];
    }

    /** Changes a cell of a key, of which so many are in it. */
    abstract void put(int cell, int count, int value);

    abstract void replace(int cell, int count, int oldValue, int newValue);

    abstract void take(int cell, int value);

    /** Whether a caller may say that the value of a key is this one. */
    abstract boolean accepts(long hash, int value);

    @Override
    public final void insert(long hash, int value) {
        for (int i = 0; i < cells.probes(); i++) {
            int at = cells.position(hash, i);
            put(at, counters[at], value);
            counters[at] = (byte) Math.min(MOST, counters[at] + 1);
        }
    }

    @Override
    public final boolean update(long hash, int oldValue, int newValue) {
        boolean accepted = accepts(hash, oldValue);
        refused += accepted ? 0 : 1;
        for (int i = 0; accepted && i < cells.probes(); i++) {
            int at = cells.position(hash, i);
            replace(at, counters[at], oldValue, newValue);
        }
        return accepted;
    }

    @Override
    public final boolean remove(long hash, int value) {
        boolean accepted = accepts(hash, value);
        refused += accepted ? 0 : 1;
        for (int i = 0; accepted && i < cells.probes(); i++) {
            int at = cells.position(hash, i);
            take(at, value);
            counters[at] -= (byte) (counters[at] < MOST ? 1 : 0);
        }
        return accepted;
    }

    @Override
    public final int values() {
        return values;
    }

    @Override
    public final long refused() {
        return refused;
    }
}
