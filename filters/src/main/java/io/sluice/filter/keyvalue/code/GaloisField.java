/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue.code;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The field GF(2^m), 2 &lt;= m &lt;= {@value CellCode#MAX_SYMBOL_BITS}, by tables of discrete
 * logarithms, and the roots of quadratic and cubic polynomials over it by two more tables. Elements
 * are the numbers 0 to 2^m - 1; addition is XOR. Immutable; there is one of each size.
 *
 * <p>The primitive polynomial of a field is the smallest one; it is part of the persistent formats
 * and never changes.
 */
final class GaloisField {

    private static final AtomicReferenceArray<GaloisField> FIELDS =
            new AtomicReferenceArray<>(CellCode.MAX_SYMBOL_BITS + 1);

    private static final int NONE = -1;

    /** Tables of products up to this size: 64 KiB, within the second-level cache. */
    private static final int PRODUCTS_BITS = 8;

    private final int bits;

    /** Elements other than 0. */
    private final int order;

    /** log[0] is 2 * order: sums with it lie where exp is 0, so that zero needs no branch. */
    private final int[] log;

    /** Powers of the generator, twice over, then zeros up to index 4 * order. */
    private final int[] exp;

    /**
     * Products of all pairs in small fields, where one look into a cache is fastest; otherwise
     * null.
     */
    private final byte[] products;

    /** t^2 + t. */
    private final int[] squarePlus;

    /** t^3 + t. */
    private final int[] cubePlus;

    /** For each c, the even one of the two t with t^2 + t = c, or NONE. */
    private final int[] quadratic;

    /** For each c, one w with w^3 + w = c, or NONE. */
    private final int[] cubic;

    private GaloisField(int bits) {
        this.bits = bits;
        order = (1 << bits) - 1;
        log = new int[order + 1];
        exp = new int[4 * order + 1];
        fillPowers(smallestPrimitive(bits));
        products = bits <= PRODUCTS_BITS ? products() : null;
        squarePlus = new int[order + 1];
        cubePlus = new int[order + 1];
        quadratic = new int[order + 1];
        cubic = new int[order + 1];
        java.util.Arrays.fill(quadratic, NONE);
        java.util.Arrays.fill(cubic, NONE);
        for (int t = order; t >= 0; t--) {
            // Downwards, so that the smaller of t and t + 1, the even one, stays.
            squarePlus[t] = square(t) ^ t;
            cubePlus[t] = multiply(square(t), t) ^ t;
            quadratic[squarePlus[t]] = t;
            cubic[cubePlus[t]] = t;
        }
    }

    /** The field with 2^{@code bits} elements. */
    static GaloisField of(int bits) {
        GaloisField field = FIELDS.get(bits);
        if (field == null) {
            FIELDS.compareAndSet(bits, null, new GaloisField(bits));
            field = FIELDS.get(bits);
        }
        return field;
    }

    private byte[] products() {
        byte[] all = new byte[1 << (2 * bits)];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) exp[log[i >>> bits] + log[i & order]];
        }
        return all;
    }

    private void fillPowers(int polynomial) {
        int x = 1;
        for (int i = 0; i < order; i++) {
            exp[i] = x;
            exp[i + order] = x;
            log[x] = i;
            x = timesGenerator(x, polynomial, bits);
        }
        log[0] = 2 * order;
    }

    /**
     * The smallest polynomial of degree {@code bits} for which the powers of T are all elements but
     * 0.
     */
    private static int smallestPrimitive(int bits) {
        int order = (1 << bits) - 1;
        // Without a constant term T would divide it.
        for (int polynomial = (1 << bits) | 1; ; polynomial += 2) {
            int period = 1;
            for (int x = 2; x != 1 && period <= order; period++) {
                x = timesGenerator(x, polynomial, bits);
            }
            if (period == order) {
                return polynomial;
            }
        }
    }

    private static int timesGenerator(int x, int polynomial, int bits) {
        int doubled = x << 1;
        return doubled ^ (polynomial & -(doubled >>> bits));
    }

    /** m. */
    int bits() {
        return bits;
    }

    int multiply(int a, int b) {
        return products != null ? products[a << bits | b] & 0xff : exp[log[a] + log[b]];
    }

    int square(int a) {
        return exp[2 * log[a]];
    }

    /** {@code b} must not be 0. */
    int divide(int a, int b) {
        // log[a] is at most 2 * order for zero, so that the sum stays where exp is 0.
        return exp[log[a] + order - log[b]];
    }

    int squareRoot(int a) {
        int l = log[a];
        return a == 0 ? 0 : exp[((l & 1) == 0 ? l : l + order) >>> 1];
    }

    /** t^2 + t. */
    int squarePlus(int t) {
        return squarePlus[t];
    }

    /** t^3 + t. */
    int cubePlus(int t) {
        return cubePlus[t];
    }

    /** A t with t^2 + t = {@code c}; the other one is t + 1. Negative if there is none. */
    int quadraticRoot(int c) {
        return quadratic[c];
    }

    /** A w with w^3 + w = {@code c}. Negative if there is none. */
    int cubicRoot(int c) {
        return cubic[c];
    }

    /** The smallest r for which T^2 + T + r has no root. */
    int quadraticWithoutRoot() {
        return firstWithoutRoot(quadratic);
    }

    /**
     * The smallest r for which T^3 + T + r has no root. It exists, because 0 and 1 have the same
     * image.
     */
    int cubicWithoutRoot() {
        return firstWithoutRoot(cubic);
    }

    private static int firstWithoutRoot(int[] roots) {
        int c = 0;
        while (roots[c] != NONE) {
            c++;
        }
        return c;
    }

    /**
     * The two solutions of z^2 + sz + p = 0, the smaller symbol anywhere, as {@link
     * CellCode#lanes}; {@link CellCode#UNDECODABLE} if there are none.
     */
    long pair(int s, int p) {
        if (s == 0) {
            int root = squareRoot(p);
            return CellCode.lanes(root, root, root);
        }
        int t = quadratic[divide(divide(p, s), s)];
        if (t == NONE) {
            return CellCode.UNDECODABLE;
        }
        int first = multiply(s, t);
        return CellCode.lanes(first, first ^ s, first);
    }

    /**
     * The three solutions of z^3 + e1 z^2 + e2 z + e3 = 0, counted with multiplicity, as {@link
     * CellCode#lanes}; {@link CellCode#UNDECODABLE} if there are fewer.
     */
    long triple(int e1, int e2, int e3) {
        // With z = y + e1: y^3 + ay + b = 0.
        int a = square(e1) ^ e2;
        int b = multiply(e1, e2) ^ e3;
        if (b == 0) {
            // y = 0, and y^2 = a twice.
            int root = squareRoot(a) ^ e1;
            return CellCode.lanes(e1, root, root);
        }
        if (a == 0) {
            return cubeRoots(b, e1);
        }
        // With y = vw, v^2 = a: w^3 + w = b / v^3.
        int v = squareRoot(a);
        int w = cubic[divide(divide(b, a), v)];
        if (w == NONE) {
            return CellCode.UNDECODABLE;
        }
        // The others solve x^2 + wx + (w^2 + 1) = 0, and w is not 0, because b is not.
        int t = quadratic[divide(1, square(w)) ^ 1];
        if (t == NONE) {
            return CellCode.UNDECODABLE;
        }
        int second = multiply(w, t);
        return CellCode.lanes(
                multiply(v, w) ^ e1, multiply(v, second) ^ e1, multiply(v, second ^ w) ^ e1);
    }

    /** The three y with y^3 = {@code b}, which is not 0, each plus {@code e1}. */
    private long cubeRoots(int b, int e1) {
        int third = order / 3;
        if (third * 3 != order || log[b] % 3 != 0) {
            return CellCode.UNDECODABLE; // one root, not three, or none
        }
        int l = log[b] / 3;
        return CellCode.lanes(exp[l] ^ e1, exp[l + third] ^ e1, exp[l + 2 * third] ^ e1);
    }
}
