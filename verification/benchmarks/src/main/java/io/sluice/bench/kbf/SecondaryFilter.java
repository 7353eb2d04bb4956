/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.keyvalue.code.CellCode;
import io.sluice.filter.keyvalue.code.CodeKind;

/**
 * The paper's s-kBF: a second, small kBF that gives each value its code word. Its keys are the
 * values. Something must encode the code words inside it, which the paper leaves open; here they
 * are numbers with their own code.
 *
 * <p>A new value is looked up first. If the filter takes it for a known one, it gets the code word
 * of another value, and every later answer with it is wrong. If a known value is ambiguous, it gets
 * a second code word.
 */
final class SecondaryFilter {

    private final PaperKeyValueFilter numbers;
    private final int capacity;
    private int given;

    /**
     * For at most {@code capacity} values.
     *
     * @param fpp the paper's sizing: probability that all cells of a new value are in use
     */
    SecondaryFilter(int capacity, double fpp) {
        this.capacity = capacity;
        double log = -Math.log(fpp) / Math.log(2);
        CellCode code = CodeKind.BCH_PAIRS.create(2 * capacity);
        numbers =
                new PaperKeyValueFilter(
                        PartitionedCells.of(log / Math.log(2), (int) Math.round(log), capacity),
                        code);
    }

    /** The number of a value's code word, a new one if the value seems new. */
    int number(long valueHash) {
        int known = numbers.query(valueHash);
        if (known >= 0) {
            return known;
        }
        if (given == 2 * capacity) {
            throw new IllegalStateException("more than " + 2 * capacity + " code words");
        }
        if (known == KeyValueFilter.ABSENT) {
            numbers.insert(valueHash, given);
        }
        return given++;
    }

    long sizeInBytes() {
        return numbers.sizeInBytes();
    }
}
