/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.rateless;

/**
 * Arithmetic modulo 2^64 - 59, the greatest prime of 64 bits. Numbers are unsigned and less than
 * the prime. Every multiplicity but 0 can be divided by, even ones too, which is not so modulo
 * 2^64.
 */
final class PrimeField {

    /** 2^64 is this much greater than the prime. */
    static final int EXCESS = 59;

    static final long PRIME = -EXCESS;

    private PrimeField() {}

    /** The residue of an unsigned number. */
    static long residue(long unsigned) {
        return isElement(unsigned) ? unsigned : unsigned - PRIME;
    }

    /** The residue of a signed number. */
    static long ofSigned(long signed) {
        return signed < 0 ? PRIME + signed : signed;
    }

    /** Whether a number is less than the prime. */
    static boolean isElement(long number) {
        return Long.compareUnsigned(number, PRIME) < 0;
    }

    static long add(long a, long b) {
        long sum = a + b;
        boolean carry = Long.compareUnsigned(sum, a) < 0;
        return carry || !isElement(sum) ? sum - PRIME : sum;
    }

    static long multiply(long a, long b) {
        long high = multiplyHigh(a, b);
        long low = a * b;
        // 2^64 is congruent to the excess: fold the high word down, and then what is carried.
        long folded = high * EXCESS + low;
        long carried = multiplyHigh(high, EXCESS) + (Long.compareUnsigned(folded, low) < 0 ? 1 : 0);
        long product = folded + carried * EXCESS;
        if (Long.compareUnsigned(product, folded) < 0) {
            product += EXCESS;
        }
        return residue(product);
    }

    /** The high word of the product of unsigned numbers. */
    private static long multiplyHigh(long a, long b) {
        return Math.multiplyHigh(a, b) + ((a >> 63) & b) + ((b >> 63) & a);
    }

    /**
     * The inverse of a signed number other than 0, by Euclid's algorithm: O(log |number|)
     * divisions.
     */
    static long inverse(long signed) {
        long magnitude = Math.abs(signed);
        long before = PRIME;
        long rest = magnitude;
        long factorBefore = 0;
        long factor = 1;
        while (rest != 0) {
            long quotient = Long.divideUnsigned(before, rest);
            long nextRest = before - quotient * rest;
            long nextFactor = add(factorBefore, negate(multiply(quotient, factor)));
            before = rest;
            rest = nextRest;
            factorBefore = factor;
            factor = nextFactor;
        }
        return signed < 0 ? negate(factorBefore) : factorBefore;
    }

    private static long negate(long a) {
        return a == 0 ? 0 : PRIME - a;
    }
}
