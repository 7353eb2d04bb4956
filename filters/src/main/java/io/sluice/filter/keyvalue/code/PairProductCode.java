/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue.code;

/**
 * The product code for two symbols: a cell is an element a + bT of GF(2^m)[T] modulo T^2 + T + r,
 * which has no root; the empty cell is 1, and symbol v is T + v. In a cell with one symbol, a is
 * the symbol. In a cell with two, T^2 + (v + w)T + vw, less the modulus once, gives their sum and
 * product, so v and w solve a quadratic equation, even if they are equal.
 *
 * <p>This is the set of Bose and Chowla (1962) without its logarithms: sums of discrete logarithms
 * there are products here. The paper's XOR codes need as many bits for the same number of values
 * but lose equal values.
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

    /** Coefficient of the modulus. */
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
    public long insert(long word, int symbol) {
        int a = low(word);
        int b = high(word);
        // (a + bT)(T + v) with T^2 = T + r
        return pack(
                field.multiply(a, symbol) ^ field.multiply(b, r),
                a ^ field.multiply(b, symbol) ^ b);
    }

    /**
     * Division by T + v: adds a multiple of the modulus that makes the word zero at v, and divides
     * the result by Horner's rule.
     */
    @Override
    public long remove(long word, int symbol) {
        int k = field.divide(at(word, symbol), modulusAt(symbol));
        return pack(high(word) ^ k ^ field.multiply(k, symbol), k);
    }

    /** With q the word without v: q (T + w) = q (T + v) + q (v + w). */
    @Override
    public long replace(long word, int oldSymbol, int newSymbol) {
        long rest = remove(word, oldSymbol);
        int difference = oldSymbol ^ newSymbol;
        return word
                ^ pack(
                        field.multiply(low(rest), difference),
                        field.multiply(high(rest), difference));
    }

    /**
     * The polynomial of a cell has its symbols as roots. With two symbols it is the word plus the
     * modulus, so at a root the word and the modulus are equal.
     */
    @Override
    public int contradiction(long word, int count, int symbol) {
        // All ones if count is at least 2, and if it is at most 2: branches on counts cannot be
        // predicted.
        int full = ~((count - 2) >> 31);
        int decodable = (count - 3) >> 31;
        return (at(word, symbol) ^ (modulusAt(symbol) & full)) & decodable;
    }

    private int at(long word, int symbol) {
        return low(word) ^ field.multiply(high(word), symbol);
    }

    private int modulusAt(int symbol) {
        return field.squarePlus(symbol) ^ r;
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
