/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import io.sluice.filter.keyvalue.code.CellCode;
import io.sluice.filter.keyvalue.code.CodeKind;

/**
 * What a key-value Bloom filter is made of. Filters of equal shape can be merged.
 *
 * <pre>
 *   cell:   | counter (counterBits) | code word of the symbols in it |        low bits first
 *   symbol: | tag of the key (tagBits) | value |                              low bits first
 * </pre>
 *
 * @param values number of values, at least 2; together with {@code tagBits} bits the symbols must
 *     fit the code
 * @param code how several symbols share a cell
 * @param tagBits bits of the key that go into its symbol, 0 to {@value #MAX_TAG_BITS}: they tell
 *     equal values of different keys apart, say which of several symbols belongs to the key in
 *     question, and unmask absent keys. More would leave no room for values
 * @param counterBits width of the counter, {@value #MIN_COUNTER_BITS} to {@value
 *     #MAX_COUNTER_BITS}. A counter at its maximum is stuck. The paper takes 3: at a load of one
 *     key per cell, 8 cells in 100,000 stick each time all keys are replaced. With 4 it is three in
 *     10^13
 * @param probes cells per key, k, 1 to {@value #MAX_PROBES}, each in a partition of its own, so
 *     that they differ
 * @param cellsPerProbe cells of one partition, 1 to 2^31 - 1
 * @param seed changes the cells of all keys
 */
public record KeyValueShape(
        int values,
        CodeKind code,
        int tagBits,
        int counterBits,
        int probes,
        long cellsPerProbe,
        long seed) {

    public static final int MAX_TAG_BITS = 8;
    public static final int MIN_COUNTER_BITS = 3;
    public static final int MAX_COUNTER_BITS = 8;
    public static final int MAX_PROBES = 32;

    public KeyValueShape {
        check("tagBits", tagBits, 0, MAX_TAG_BITS);
        check("counterBits", counterBits, MIN_COUNTER_BITS, MAX_COUNTER_BITS);
        check("probes", probes, 1, MAX_PROBES);
        check("cellsPerProbe", cellsPerProbe, 1, Integer.MAX_VALUE);
        check("values", values, 2, code.maxSymbols() >>> tagBits);
        int bits = counterBits + code.wordBits(values << tagBits);
        if (bits > Long.SIZE) {
            throw new IllegalArgumentException(
                    "a cell of "
                            + bits
                            + " bits is wider than a word: take fewer tag bits ("
                            + tagBits
                            + "), counter bits ("
                            + counterBits
                            + "), or a code for pairs");
        }
    }

    /** Symbols that the code must have: one for each tag and value. */
    public int symbols() {
        return values << tagBits;
    }

    /** Bits of one cell. */
    public int cellBits() {
        return counterBits + code.wordBits(symbols());
    }

    /** Cells altogether: m. */
    public long cells() {
        return probes * cellsPerProbe;
    }

    /** Words of 64 bits that hold all cells, and one more, see {@link CellArray}. */
    long words() {
        return ((cells() * cellBits()) >>> 6) + 2;
    }

    CellCode createCode() {
        return code.create(symbols());
    }

    private static void check(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    name + " must be between " + least + " and " + most + ", got " + value);
        }
    }
}
