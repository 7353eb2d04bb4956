/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.kbf;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Encodings that are combined by XOR: words whose sums of one and of two are all different and not
 * 0, so that two different values in a cell can be told. Equal values cancel.
 */
public final class XorCode {

    private final int[] words;

    /** Values by the low bits of their words, in which no two words are equal, plus one. */
    private final int[] valueOf;

    private XorCode(int[] words, int lowBits) {
        this.words = words;
        valueOf = new int[1 << lowBits];
        for (int value = 0; value < words.length; value++) {
            valueOf[words[value] & (valueOf.length - 1)] = value + 1;
        }
    }

    /**
     * Algorithm 1: each word is the smallest that is not a sum of one, two or three before it. The
     * paper remembers sums in a Bloom filter, whose false positives refuse good words; a bit for
     * each sum is exact. O(n^3).
     */
    public static XorCode greedy(int values) {
        int[] words = new int[values];
        int[] sums = new int[values * (values + 1) / 2];
        int count = 0;
        BitSet excluded = new BitSet();
        for (int value = 0; value < values; value++) {
            int next = excluded.nextClearBit(1);
            excluded.set(next);
            for (int i = 0; i < count; i++) {
                excluded.set(next ^ sums[i]);
            }
            for (int i = 0; i < value; i++) {
                sums[count++] = next ^ words[i];
            }
            sums[count++] = next;
            words[value] = next;
        }
        int widest = words[values - 1];
        return new XorCode(words, Integer.SIZE - Integer.numberOfLeadingZeros(widest));
    }

    /**
     * The columns (x, x^3) of the parity-check matrix of a BCH code that corrects two errors: words
     * of twice the bits of a value, without a search.
     */
    public static XorCode bch(int values) {
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(values);
        int[] words = new int[values];
        for (int x = 1; x <= values; x++) {
            words[x - 1] = x | multiply(multiply(x, x, bits), x, bits) << bits;
        }
        return new XorCode(words, bits);
    }

    /** In GF(2^bits), by the smallest irreducible polynomial. */
    private static int multiply(int a, int b, int bits) {
        int product = 0;
        for (int i = 0; i < bits; i++) {
            product ^= (b >>> i & 1) == 0 ? 0 : a << i;
        }
        return remainder(product, polynomial(bits));
    }

    private static int polynomial(int bits) {
        int candidate = 1 << bits | 1;
        while (!isIrreducible(candidate)) {
            candidate += 2;
        }
        return candidate;
    }

    private static boolean isIrreducible(int polynomial) {
        int degree = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(polynomial);
        for (int divisor = 2; divisor < 2 << (degree / 2); divisor++) {
            if (remainder(polynomial, divisor) == 0) {
                return false;
            }
        }
        return true;
    }

    private static int remainder(int value, int divisor) {
        int rest = value;
        int width = Integer.numberOfLeadingZeros(divisor);
        while (rest != 0 && Integer.numberOfLeadingZeros(rest) <= width) {
            rest ^= divisor << (width - Integer.numberOfLeadingZeros(rest));
        }
        return rest;
    }

    /** How many values there are. */
    public int values() {
        return words.length;
    }

    /** The encoding of a value. */
    public int word(int value) {
        return words[value];
    }

    /** Bits of the widest word. */
    public int bits() {
        return Integer.SIZE - Integer.numberOfLeadingZeros(Arrays.stream(words).max().orElse(0));
    }

    /** The values in a cell of one or two, as a set of bits; empty if they cannot be told. */
    BitSet decode(int word, int count) {
        BitSet found = new BitSet();
        if (count == 1 && value(word) >= 0) {
            found.set(value(word));
        }
        // Two equal values cancel to 0, which does not say which.
        for (int i = 0; count == 2 && word != 0 && i < words.length && found.isEmpty(); i++) {
            int other = value(word ^ words[i]);
            if (other >= 0) {
                found.set(i);
                found.set(other);
            }
        }
        return found;
    }

    /** The value that has this word, or -1. */
    private int value(int word) {
        int value = valueOf[word & (valueOf.length - 1)] - 1;
        return value >= 0 && words[value] == word ? value : -1;
    }
}
