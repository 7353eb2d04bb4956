/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue.code;

/**
 * XOR codes without a search: symbol x - 1 is (x, x^3), or (x, x^3, x^5), for the x of GF(2^m)
 * other than 0. These are the columns of the parity-check matrix of a BCH code that corrects two
 * (three) errors, so all sums of at most two (three) different columns differ.
 *
 * <p>For comparison: 2^m - 1 symbols in 2m bits is near the paper's lower bound, where its greedy
 * search needs more bits, and a pair is decoded by one quadratic equation instead of a search. But
 * equal symbols cancel. A cell whose word says "two equal ones" (or, with three symbols, "one, and
 * two equal ones") does not say which, so it is undecodable.
 *
 * <pre>
 *   word: | x (m bits) | x^3 (m bits) | x^5 (m bits, triples only) |    low bits first
 * </pre>
 */
final class BchCode implements CellCode {

    private final CodeKind kind;
    private final GaloisField field;
    private final int symbols;
    private final int bits;
    private final int mask;
    private final boolean triples;

    BchCode(CodeKind kind, GaloisField field, int symbols) {
        this.kind = kind;
        this.field = field;
        this.symbols = symbols;
        bits = field.bits();
        mask = (1 << bits) - 1;
        triples = kind == CodeKind.BCH_TRIPLES;
    }

    @Override
    public CodeKind kind() {
        return kind;
    }

    @Override
    public int symbols() {
        return symbols;
    }

    @Override
    public int wordBits() {
        return kind.decodable() * bits;
    }

    @Override
    public long empty() {
        return 0;
    }

    @Override
    public long insert(long word, int symbol) {
        return word ^ word(symbol + 1);
    }

    /** Adding and removing are the same. */
    @Override
    public long delete(long word, int symbol) {
        return insert(word, symbol);
    }

    @Override
    public long replace(long word, int oldSymbol, int newSymbol) {
        return word ^ word(oldSymbol + 1) ^ word(newSymbol + 1);
    }

    private long word(int x) {
        int square = field.square(x);
        int cube = field.multiply(square, x);
        long pair = x | (long) cube << bits;
        return triples ? pair | (long) field.multiply(cube, square) << (2 * bits) : pair;
    }

    @Override
    public long combine(long word, long other) {
        return word ^ other;
    }

    @Override
    public long decode(long word, int count) {
        int s1 = (int) word & mask;
        int s3 = (int) (word >>> bits) & mask;
        int s5 = (int) (word >>> (2 * bits)) & mask;
        long found =
                switch (count) {
                    case 1 -> CellCode.lanes(s1, s1, s1);
                    case 2 -> pair(s1, s3);
                    case 3 -> triples ? triple(s1, s3, s5) : UNDECODABLE;
                    default -> UNDECODABLE;
                };
        return found < 0 ? UNDECODABLE : checked(found, word, count);
    }

    /** x^3 + y^3 = (x + y)^3 + xy(x + y). */
    private long pair(int s1, int s3) {
        return s1 == 0 ? UNDECODABLE : field.pair(s1, field.divide(cube(s1) ^ s3, s1));
    }

    /** Newton's identities, solved for the elementary symmetric functions. */
    private long triple(int s1, int s3, int s5) {
        // e3 + e1 e2; zero if two of the three are equal, or if one is zero.
        int d = cube(s1) ^ s3;
        if (d == 0) {
            return UNDECODABLE;
        }
        int e2 = field.divide(field.multiply(field.square(s1), s3) ^ s5, d);
        return field.triple(s1, e2, d ^ field.multiply(s1, e2));
    }

    /**
     * Different non-zero x that give this word, as symbols; anything else counts as undecodable.
     */
    private long checked(long found, long word, int count) {
        int x = CellCode.lane(found, 0);
        int y = CellCode.lane(found, 1);
        int z = CellCode.lane(found, 2);
        long sum = word(x);
        boolean distinct = x != 0;
        if (count >= 2) {
            sum ^= word(y);
            distinct &= y != 0 && x != y;
        }
        if (count == 3) {
            sum ^= word(z);
            distinct &= z != 0 && x != z && y != z;
        }
        return distinct && sum == word ? CellCode.lanes(x - 1, y - 1, z - 1) : UNDECODABLE;
    }

    private int cube(int x) {
        return field.multiply(field.square(x), x);
    }
}
