/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue.code;

/**
 * The product code for three symbols: as {@link PairProductCode}, modulo T^3 + T + r. The
 * coefficients of a cell with at most three symbols are their elementary symmetric functions, so
 * that they are the roots of a linear, quadratic or cubic polynomial.
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

    /** Of the modulus. */
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
    public long symbol(int symbol) {
        return pack(symbol, 1, 0);
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

    /**
     * Solves word * x = 1 by Cramer's rule: the columns of the matrix are the word, the word times
     * T, and the word times T^2, and x is the first row of cofactors over the determinant.
     */
    @Override
    public long inverse(long word) {
        int a = part(word, 0);
        int b = part(word, 1);
        int c = part(word, 2);
        int cr = field.multiply(c, r);
        int br = field.multiply(b, r);
        // Rows of the matrix: (a, cr, br), (b, a + c, b + cr), (c, b, a + c).
        int ac = a ^ c;
        int x = field.square(ac) ^ field.multiply(b ^ cr, b);
        int y = field.multiply(b, ac) ^ field.multiply(b ^ cr, c);
        int z = field.square(b) ^ field.multiply(ac, c);
        int determinant = field.multiply(a, x) ^ field.multiply(cr, y) ^ field.multiply(br, z);
        return pack(
                field.divide(x, determinant),
                field.divide(y, determinant),
                field.divide(z, determinant));
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
