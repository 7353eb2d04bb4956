/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import io.sluice.filter.hash.Hashing;

/** What is in the golden files. */
final class GoldenFiles {

    /** A set with remainders that fill their words. */
    static final long SET_KEYS = 900;

    /** A multiset: as many copies of every key as its number modulo 4, plus one. */
    static final long MULTISET_KEYS = 200;

    static final int REFUSED_REMOVALS = 3;

    /**
     * Remainders that fill a word, divide it or straddle two, and the narrowest and widest ones: a
     * filter for each, one after the other in one file.
     */
    static final int[] REMAINDER_BITS = {1, 2, 3, 8, 16, 21, 31, 32, 33, 43, 48, 57};

    static final int REMAINDERS_QUOTIENT_BITS = 6;

    static final long REMAINDERS_KEYS = 55;

    /** Pairs of quotient and remainder bits at the limits: filters of at most three blocks. */
    static final int[][] EXTREME_BITS = {{1, 1}, {1, 62}, {3, 60}, {6, 57}, {7, 1}};

    private GoldenFiles() {}

    static QuotientFilter set() {
        QuotientFilter filter = QuotientFilter.builder().bits(10, 8).build();
        for (long key = 0; key < SET_KEYS; key++) {
            filter.add(Hashing.hash(key));
        }
        return filter;
    }

    static QuotientFilter multiset() {
        QuotientFilter filter =
                QuotientFilter.builder().bits(9, 13).maxLoad(0.98).growing().build();
        for (long key = 0; key < MULTISET_KEYS; key++) {
            filter.insert(Hashing.hash(key), (int) (key % 4 + 1));
        }
        for (int i = 0; i < REFUSED_REMOVALS; i++) {
            filter.remove(Hashing.hash(-1 - i));
        }
        return filter;
    }

    /** Crowded: fingerprints spill into the next block. */
    static QuotientFilter ofRemainderBits(int remainderBits) {
        QuotientFilter filter =
                QuotientFilter.builder().bits(REMAINDERS_QUOTIENT_BITS, remainderBits).build();
        for (long key = 0; key < REMAINDERS_KEYS; key++) {
            filter.insert(Hashing.hash(key), 1);
        }
        return filter;
    }

    /** Full, with the same key over and over. */
    static QuotientFilter ofExtremeBits(int[] bits) {
        QuotientFilter filter = QuotientFilter.builder().bits(bits[0], bits[1]).maxLoad(1).build();
        for (long i = 0; i < filter.capacity(); i++) {
            filter.insert(Hashing.hash(0L), 1);
        }
        return filter;
    }

    /** Without a fingerprint, and with the least load. */
    static QuotientFilter empty() {
        return QuotientFilter.builder().bits(6, 8).maxLoad(QuotientSizing.MIN_MAX_LOAD).build();
    }
}
