/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue.code;

import io.sluice.filter.annotation.Internal;

/** The codes there are. */
public enum CodeKind {

    /** Bose-Chowla: products of (T + v). Two symbols decode, equal or not. */
    PRODUCT_PAIRS(4, 2),

    /** Bose-Chowla: products of (T + v). Three symbols decode, equal or not. */
    PRODUCT_TRIPLES(5, 3);

    private static final CodeKind[] ALL = values();

    private final int code;
    private final int decodable;

    CodeKind(int code, int decodable) {
        this.code = code;
        this.decodable = decodable;
    }

    /** The number that stands for this kind in persistent formats; never reused. */
    public int code() {
        return code;
    }

    /** The most symbols in one cell that can be told: 2 or 3. */
    public int decodable() {
        return decodable;
    }

    /** The greatest number of symbols. */
    public int maxSymbols() {
        return 1 << CellCode.MAX_SYMBOL_BITS;
    }

    /** Bits of a cell word for {@code symbols} symbols. O(1). */
    public int wordBits(int symbols) {
        checkSymbols(symbols);
        return decodable * bitsFor(symbols);
    }

    /**
     * The code for {@code symbols} symbols: at least 2, at most {@link #maxSymbols}. O(symbols) the
     * first time.
     */
    @Internal
    public CellCode create(int symbols) {
        checkSymbols(symbols);
        return switch (this) {
            case PRODUCT_PAIRS -> new PairProductCode(GaloisField.of(bitsFor(symbols)), symbols);
            case PRODUCT_TRIPLES ->
                    new TripleProductCode(GaloisField.of(bitsFor(symbols)), symbols);
        };
    }

    /** The kind with this code, or null if there is none. */
    public static CodeKind ofCode(int code) {
        for (CodeKind kind : ALL) {
            if (kind.code == code) {
                return kind;
            }
        }
        return null;
    }

    /** Bits that number {@code symbols} things, from 0; at least 2, the smallest useful field. */
    private static int bitsFor(int symbols) {
        return Math.max(2, Integer.SIZE - Integer.numberOfLeadingZeros(symbols - 1));
    }

    private void checkSymbols(int symbols) {
        if (symbols < 2 || symbols > maxSymbols()) {
            throw new IllegalArgumentException(
                    "symbols must be between 2 and "
                            + maxSymbols()
                            + " with "
                            + this
                            + ", got "
                            + symbols
                            + ": take fewer values, fewer tag bits, or another code");
        }
    }
}
