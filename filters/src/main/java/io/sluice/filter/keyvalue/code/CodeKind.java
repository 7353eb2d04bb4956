/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue.code;

/** The codes there are. */
public enum CodeKind {

    /**
     * The paper's Algorithm 1: the smallest numbers whose sums of at most two are all different,
     * combined by XOR. Two different symbols decode.
     */
    GREEDY_XOR(1, 2, false, GreedyXorCode.MAX_SYMBOLS),

    /** x and x^3, combined by XOR: the columns of a BCH code. Two different symbols decode. */
    BCH_PAIRS(2, 2, false, (1 << CellCode.MAX_SYMBOL_BITS) - 1),

    /** x, x^3 and x^5, combined by XOR. Three different symbols decode. */
    BCH_TRIPLES(3, 3, false, (1 << CellCode.MAX_SYMBOL_BITS) - 1),

    /** Bose-Chowla: products of (T + v). Two symbols decode, equal or not. */
    PRODUCT_PAIRS(4, 2, true, 1 << CellCode.MAX_SYMBOL_BITS),

    /** Bose-Chowla: products of (T + v). Three symbols decode, equal or not. */
    PRODUCT_TRIPLES(5, 3, true, 1 << CellCode.MAX_SYMBOL_BITS);

    private static final CodeKind[] ALL = values();

    private final int code;
    private final int decodable;
    private final boolean decodesEqual;
    private final int maxSymbols;

    CodeKind(int code, int decodable, boolean decodesEqual, int maxSymbols) {
        this.code = code;
        this.decodable = decodable;
        this.decodesEqual = decodesEqual;
        this.maxSymbols = maxSymbols;
    }

    /** The number that stands for this kind in persistent formats; never reused. */
    public int code() {
        return code;
    }

    /** The most symbols in one cell that can be told: 2 or 3. */
    public int decodable() {
        return decodable;
    }

    /** Whether symbols can be told even if some of them are equal. */
    public boolean decodesEqual() {
        return decodesEqual;
    }

    /** The greatest number of symbols. */
    public int maxSymbols() {
        return maxSymbols;
    }

    /** Bits of a cell word for {@code symbols} symbols. O(1). */
    public int wordBits(int symbols) {
        checkSymbols(symbols);
        return switch (this) {
            case GREEDY_XOR -> GreedyXorCode.wordBits(symbols);
            // Without zero, which is the empty cell.
            case BCH_PAIRS, BCH_TRIPLES -> decodable * bitsFor(symbols + 1);
            case PRODUCT_PAIRS, PRODUCT_TRIPLES -> decodable * bitsFor(symbols);
        };
    }

    /**
     * The code for {@code symbols} symbols: at least 2, at most {@link #maxSymbols}. The greedy
     * code is searched for, which takes O(symbols^3); the others take O(symbols) the first time.
     */
    public CellCode create(int symbols) {
        checkSymbols(symbols);
        return switch (this) {
            case GREEDY_XOR -> new GreedyXorCode(symbols);
            case BCH_PAIRS, BCH_TRIPLES ->
                    new BchCode(this, GaloisField.of(bitsFor(symbols + 1)), symbols);
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
        if (symbols < 2 || symbols > maxSymbols) {
            throw new IllegalArgumentException(
                    "symbols must be between 2 and "
                            + maxSymbols
                            + " with "
                            + this
                            + ", got "
                            + symbols
                            + ": take fewer values, fewer tag bits, or another code");
        }
    }
}
