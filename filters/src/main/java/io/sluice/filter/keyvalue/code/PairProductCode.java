/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue.code;

/**
 * The product code for two symbols: a cell is an element a + bT of GF(2^m)[T] modulo T^2 + T + r,
 * which has no root; the empty cell is 1, and symbol v is T + v. In a cell with one symbol a is the
 * symbol. In one with two, T^2 + (v + w)T + vw, less the modulus once, tells sum and product, so
 * that v and w solve a quadratic equation, also if they are equal.
 *
 * <p>This is the set of Bose and Chowla (1962) without its logarithms: sums of discrete logarithms
 * there are products here. The paper's XOR codes need as many bits for as many values but lose
 * equal values.
 *
 * <pre>
 *   word: | a (m bits) | b (m bits) |    low bits first
 * </pre>
 */
final class PairProductCode implements CellCode {

    private final GaloisField field;
    private final int symbols;
    private final int bits;
    private final int mask;

    /** Of the modulus. */
    private final int r;

    PairProductCode(GaloisField field, int symbols) {
        this.field = field;
        this.symbols = symbols;
        bits = field.bits();
        mask = (1 << bits) - 1;
        r = field.quadraticWithoutRoot();
    }

    @Override
    public CodeKind kind() {
        return CodeKind.PRODUCT_PAIRS;
    }

    @Override
    public int symbols() {
        return symbols;
    }

    @Override
    public int wordBits() {
        return 2 * bits;
    }

    @Override
    public long empty() {
        return 1;
    }

    @Override
    public long symbol(int symbol) {
        return pack(symbol, 1);
    }

    @Override
    public long combine(long word, long other) {
        int a = low(word);
        int b = high(word);
        int c = low(other);
        int d = high(other);
        int bd = field.multiply(b, d);
        // bd T^2 = bd T + bd r
        return pack(
                field.multiply(a, c) ^ field.multiply(bd, r),
                field.multiply(a, d) ^ field.multiply(b, c) ^ bd);
    }

    @Override
    public long inverse(long word) {
        int a = low(word);
        int b = high(word);
        // The conjugate of T is T + 1, so (a + bT)(a + b + bT) = a^2 + ab + b^2 r: the norm.
        int norm = field.square(a) ^ field.multiply(a, b) ^ field.multiply(field.square(b), r);
        return pack(field.divide(a ^ b, norm), field.divide(b, norm));
    }

    @Override
    public long decode(long word, int count) {
        int a = low(word);
        int b = high(word);
        if (count == 1) {
            return b == 1 ? CellCode.lanes(a, a, a) : UNDECODABLE;
        }
        return count == 2 ? field.pair(b ^ 1, a ^ r) : UNDECODABLE;
    }

    private int low(long word) {
        return (int) word & mask;
    }

    private int high(long word) {
        return (int) (word >>> bits) & mask;
    }

    private long pack(int a, int b) {
        return a | (long) b << bits;
    }
}
