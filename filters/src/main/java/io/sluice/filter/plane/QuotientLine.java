/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

/**
 * Which bits of a line of an {@link AgedQuotientTable} make up its columns. Pure arithmetic.
 *
 * <pre>
 *   words 1 .. 7 | S bits | S bits | .. | rest |      S slots; as many whole columns as fit
 *
 *   the rests, one after the other: extra column 0, 1, ..      each S bits, in several words
 * </pre>
 *
 * Without the rests there would be nothing between 21 and 16 slots, which are three and four whole
 * columns to a word. Extra columns are for ages: a lookup only reads those when it has found the
 * rest of a fingerprint.
 *
 * @param slots of a line, which are the bits of a column, from {@value #MIN_SLOTS} to {@value
 *     #MAX_SLOTS}
 */
record QuotientLine(int slots) {

    static final int MIN_SLOTS = 8;

    /** Columns of two to a word; with fewer, remainders would be short. */
    static final int MAX_SLOTS = Long.SIZE / 2;

    /** Quotients of a line. */
    static final int QUOTIENTS = 48;

    /** Columns that number the plane of a slot. */
    static final int AGE_BITS = 4;

    /** Words with columns. */
    static final int COLUMN_WORDS = Geometry.LINE_WORDS - 1;

    /** Returns the columns that each word has in one piece, 2 to 8. */
    int whole() {
        return Long.SIZE / slots;
    }

    /** Returns the bits of a word in whole columns; the others are its rest. */
    int wholeBits() {
        return whole() * slots;
    }

    /** Returns the columns that are in the rests, at most {@link #AGE_BITS}. */
    int extras() {
        return Math.min(AGE_BITS, COLUMN_WORDS * (Long.SIZE - wholeBits()) / slots);
    }

    /** Returns the columns of ages that are whole. */
    int wholeAges() {
        return AGE_BITS - extras();
    }

    /** Returns the number of all columns except those of ages and run ends. */
    int remainderBits() {
        return COLUMN_WORDS * whole() + extras() - AGE_BITS - 1;
    }

    /** Returns the bits of a fingerprint, including those of the quotient; not a whole number. */
    double fingerprintBits() {
        return remainderBits() + Math.log(QUOTIENTS) / Math.log(2);
    }
}
