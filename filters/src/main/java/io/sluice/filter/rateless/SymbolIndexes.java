/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.rateless;

import io.sluice.filter.hash.Hashing;

/**
 * The symbols that an element is part of, as an ascending sequence of indexes that begins with 0.
 * An element is part of symbol <i>i</i> with probability 1 / (1 + i / 2).
 *
 * <p>Source: Yang, Gilad, Alizadeh, <i>Practical Rateless Set Reconciliation</i>, section 4.2: the
 * gap to the next index is drawn by inverting its distribution, so an element costs time for each
 * symbol that it is part of, not for each symbol. Departures: the inversion is exact, whereas the
 * paper approximates it; random numbers are those of SplitMix64, because a multiplicative generator
 * stays at 0 if it begins there.
 *
 * <p>The numbers are part of the format: doubles are exact to the last bit in Java, the square root
 * too, so both sides have the same sequence.
 */
final class SymbolIndexes {

    /** No symbol has this index, nor a greater one. */
    static final int END = Integer.MAX_VALUE;

    private static final long GAMMA = 0x9e3779b97f4a7c15L;
    private static final double UNIT = 0x1p-53;

    private SymbolIndexes() {}

    /** The state of the random numbers for the gap after the next. */
    static long advance(long state) {
        return state + GAMMA;
    }

    /**
     * The index that follows {@code index}, {@link #END} if that is too far away. An element that
     * is part of symbol <i>i</i> is part of none from <i>i</i> + 1 to <i>j</i> with probability (i
     * + 1) (i + 2) / ((j + 1) (j + 2)).
     */
    static int after(int index, long state) {
        double uniform = ((Hashing.mix(state) >>> 11) + 1) * UNIT;
        double product = (index + 1.0) * (index + 2.0) / uniform;
        double next = Math.ceil(Math.sqrt(product + 0.25) - 1.5);
        return (int) Math.min(END, Math.max(index + 1.0, next));
    }

    /** The probability that an element is part of the symbol. */
    static double probability(int index) {
        return 1 / (1 + index / 2.0);
    }
}
