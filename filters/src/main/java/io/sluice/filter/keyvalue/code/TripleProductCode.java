/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue.code;

/**
 * The product code for three symbols: as {@link PairProductCode}, modulo T^3 + T + r. The
 * coefficients of a cell with at most three symbols are their elementary symmetric functions, so
 * the symbols are the roots of a linear, quadratic or cubic polynomial.
 *
 * <pre>
 *   word: | a (m bits) | b (m bits) | c (m bits) |    a + bT + cT^2, low bits first
 * </pre>
 */
final class TripleProductCode implements CellCode {

    private final GaloisField field;
    private final int symbols;
    private final int bits;
    private final int mask;

    /** Coefficient of the modulus. */
    private final int r;

    TripleProductCode(GaloisField field, int symbols) {
        this.field = field;
        this.symbols = symbols;
        bits = field.bits();
        mask = (1 << bits) - 1;
        r = field.cubicWithoutRoot();
    }

    @Override
    public CodeKind kind() {
        return CodeKind.PRODUCT_TRIPLES;
    }

    @Override
    public int symbols() {
        return symbols;
    }

    @Override
    public int wordBits() {
        return 3 * bits;
    }

    @Override
    public long empty() {
        return 1;
    }

    @Override
    public long insert(long word, int symbol) {
        int a = part(word, 0);
        int b = part(word, 1);
        int c = part(word, 2);
        // (a + bT + cT^2)(T + v) with T^3 = T + r
        return pack(
                field.multiply(a, symbol) ^ field.multiply(c, r),
                a ^ field.multiply(b, symbol) ^ c,
                b ^ field.multiply(c, symbol));
    }

    /** As {@link PairProductCode#remove}, one degree higher. */
    @Override
    public long remove(long word, int symbol) {
        int c = field.divide(at(word, symbol), modulusAt(symbol));
        int b = part(word, 2) ^ field.multiply(c, symbol);
        return pack(part(word, 1) ^ c ^ field.multiply(b, symbol), b, c);
    }

    @Override
    public long replace(long word, int oldSymbol, int newSymbol) {
        long rest = remove(word, oldSymbol);
        int difference = oldSymbol ^ newSymbol;
        return word
                ^ pack(
                        field.multiply(part(rest, 0), difference),
                        field.multiply(part(rest, 1), difference),
                        field.multiply(part(rest, 2), difference));
    }

    /** As {@link PairProductCode#contradiction}, one degree higher. */
    @Override
    public int contradiction(long word, int count, int symbol) {
        // All ones if count is at least 3, and if it is at most 3: branches on counts cannot be
        // predicted.
        int full = ~((count - 3) >> 31);
        int decodable = (count - 4) >> 31;
        return (at(word, symbol) ^ (modulusAt(symbol) & full)) & decodable;
    }

    private int at(long word, int symbol) {
        int inner = part(word, 1) ^ field.multiply(part(word, 2), symbol);
        return part(word, 0) ^ field.multiply(inner, symbol);
    }

    private int modulusAt(int symbol) {
        return field.cubePlus(symbol) ^ r;
    }

    @Override
    public long combine(long word, long other) {
        int a = part(word, 0);
        int b = part(word, 1);
        int c = part(word, 2);
        int d = part(other, 0);
        int e = part(other, 1);
        int f = part(other, 2);
        int cubed = field.multiply(b, f) ^ field.multiply(c, e);
        int fourth = field.multiply(c, f);
        // T^3 = T + r and T^4 = T^2 + rT
        return pack(
                field.multiply(a, d) ^ field.multiply(cubed, r),
                field.multiply(a, e) ^ field.multiply(b, d) ^ cubed ^ field.multiply(fourth, r),
                field.multiply(a, f) ^ field.multiply(b, e) ^ field.multiply(c, d) ^ fourth);
    }

    @Override
    public long decode(long word, int count) {
        int a = part(word, 0);
        int b = part(word, 1);
        int c = part(word, 2);
        return switch (count) {
            case 1 -> b == 1 && c == 0 ? CellCode.lanes(a, a, a) : UNDECODABLE;
            case 2 -> c == 1 ? field.pair(b, a) : UNDECODABLE;
            // Less the modulus: T^3 + cT^2 + (b + 1)T + (a + r).
            case 3 -> field.triple(c, b ^ 1, a ^ r);
            default -> UNDECODABLE;
        };
    }

    private int part(long word, int i) {
        return (int) (word >>> (i * bits)) & mask;
    }

    private long pack(int a, int b, int c) {
        return a | (long) b << bits | (long) c << (2 * bits);
    }
}
