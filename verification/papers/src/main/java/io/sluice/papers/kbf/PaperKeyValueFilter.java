/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.kbf;

import java.util.BitSet;

/**
 * The paper's filter: cells of a counter of 3 bits and a XOR of encodings, 32 bits together.
 * Algorithm 2 is mended (as printed, a first insertion counts twice and cancels its value). A cell
 * of two is decoded, one of three is not. Not thread-safe.
 */
public final class PaperKeyValueFilter extends CountedCells {
    /** Bits of a cell, whatever its counter and code need. */
    public static final int CELL_BITS = 32;

    private final XorCode code;
    private final boolean intersects;
    private final int[] words;

    /**
     * An empty filter.
     *
     * @param intersects whether a query takes what all decodable cells have in common; the paper
     *     takes the first cell of a single key (rule 1) and only then intersects pairs (rule 2)
     */
    PaperKeyValueFilter(Cells cells, XorCode code, boolean intersects) {
        super(cells, code.values());
        this.code = code;
        this.intersects = intersects;
        words = new int[cells.all()];
    }

    /** A filter as printed, with the encodings of Algorithm 1. */
    public static PaperKeyValueFilter create(int probes, int cellsPerProbe, int values) {
        Cells cells = new Cells(probes, cellsPerProbe);
        return new PaperKeyValueFilter(cells, XorCode.greedy(values), false);
    }

    @Override
    public int query(long hash) {
        for (int i = 0; i < cells.probes(); i++) {
            if (count(hash, i) == 0) {
                return ABSENT;
            }
        }
        BitSet common = null;
        for (int count = 1; count <= 2; count++) {
            for (int i = 0; i < cells.probes(); i++) {
                boolean decodes = count(hash, i) == count;
                BitSet found = code.decode(words[cells.position(hash, i)], decodes ? count : 0);
                if (!found.isEmpty()) {
                    if (common != null) {
                        found.and(common);
                    }
                    common = found;
                }
                if (common != null && (common.isEmpty() || (count == 1 && !intersects))) {
                    return common.isEmpty() ? ABSENT : common.nextSetBit(0);
                }
            }
        }
        return common == null || common.cardinality() > 1 ? AMBIGUOUS : common.nextSetBit(0);
    }

    @Override
    void put(int cell, int count, int value) {
        words[cell] ^= code.word(value);
    }

    @Override
    void replace(int cell, int count, int oldValue, int newValue) {
        words[cell] ^= code.word(oldValue) ^ code.word(newValue);
    }

    @Override
    void take(int cell, int value) {
        words[cell] ^= code.word(value);
    }

    @Override
    boolean accepts(long hash, int value) {
        return query(hash) == value;
    }

    @Override
    public long sizeInBytes() {
        return (long) cells.all() * CELL_BITS / Byte.SIZE;
    }
}
