/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.kbf;

/**
 * The State Bloom filter (Bonomi et al. 2006) that the paper compares with: a cell has a counter
 * and one value. Equal values share a cell, different ones leave "do not know", for good. Not
 * thread-safe.
 */
public final class StateBloomFilter extends CountedCells {
    private static final int DO_NOT_KNOW = -1;

    private final int[] held;

    StateBloomFilter(Cells cells, int values) {
        super(cells, values);
        held = new int[cells.all()];
    }

    /** A filter of {@code probes} partitions. */
    public static StateBloomFilter create(int probes, int cellsPerProbe, int values) {
        return new StateBloomFilter(new Cells(probes, cellsPerProbe), values);
    }

    /** Bits of a cell: a counter and a value. */
    public static int cellBits(int values) {
        return 3 + Integer.SIZE - Integer.numberOfLeadingZeros(values);
    }

    @Override
    public int query(long hash) {
        int found = AMBIGUOUS;
        for (int i = 0; i < cells.probes(); i++) {
            int value = held[cells.position(hash, i)];
            if (count(hash, i) == 0 || (found >= 0 && value >= 0 && found != value)) {
                return ABSENT;
            }
            found = value == DO_NOT_KNOW ? found : value;
        }
        return found;
    }

    @Override
    void put(int cell, int count, int value) {
        held[cell] = count == 0 || held[cell] == value ? value : DO_NOT_KNOW;
    }

    @Override
    void replace(int cell, int count, int oldValue, int newValue) {
        held[cell] = count == 1 || held[cell] == newValue ? newValue : DO_NOT_KNOW;
    }

    @Override
    void take(int cell, int value) {
        // The value stays: others in the cell may have it.
    }

    @Override
    boolean accepts(long hash, int value) {
        int found = query(hash);
        return found == value || found == AMBIGUOUS;
    }

    @Override
    public long sizeInBytes() {
        return (long) cells.all() * cellBits(values()) / Byte.SIZE;
    }
}
