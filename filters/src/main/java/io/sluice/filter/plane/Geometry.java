/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

import io.sluice.filter.annotation.Internal;

/**
 * Shape of a {@link PlaneArray}: where an id's bits go. Arrays with equal geometry can read each
 * other's words.
 *
 * <p>Internal: public for the filters that are made of planes.
 *
 * @param layout where the positions of an id lie
 * @param wordBits bits per position: 8, which leaves room for 16 planes
 * @param positions number of bytes, a multiple of {@link #positionsPerLine()}
 * @param lines the most cache lines that an id may have to be looked for in, 1 to 8
 * @param perLine for fingerprints the bits of one, 4 to 58; for quotients the slots of a {@link
 *     QuotientLine}, 8 to 32
 */
@Internal
public record Geometry(Layout layout, int wordBits, long positions, int lines, int perLine) {

    /** Words are numbered with an {@code int}; a few are left for padding and headers. */
    static final long MAX_TABLE_BYTES = (Integer.MAX_VALUE - 64L) / 8 * 8 * Long.BYTES;

    /** Words in a cache line. */
    public static final int LINE_WORDS = 8;

    static final int MAX_LINES = 8;
    static final int MIN_FINGERPRINT_BITS = 4;
    static final int MAX_FINGERPRINT_BITS = 58;

    public Geometry {
        if (wordBits < 8 || wordBits > 64 || Integer.bitCount(wordBits) != 1) {
            throw new IllegalArgumentException("wordBits must be 8, 16, 32 or 64, got " + wordBits);
        }
        int positionsPerLine = LINE_WORDS * Long.SIZE / wordBits;
        if (positions < positionsPerLine
                || positions > MAX_TABLE_BYTES
                || positions % positionsPerLine != 0
                || positions * wordBits / Long.SIZE > MAX_TABLE_BYTES / Long.BYTES) {
            throw new IllegalArgumentException(
                    "positions must be a multiple of "
                            + positionsPerLine
                            + " of at most "
                            + MAX_TABLE_BYTES
                            + ", in less than 16 GiB, got "
                            + positions
                            + ": use several filters");
        }
        if (layout == Layout.FINGERPRINTS) {
            if (wordBits != Byte.SIZE
                    || lines < 1
                    || lines > MAX_LINES
                    || perLine < MIN_FINGERPRINT_BITS
                    || perLine > MAX_FINGERPRINT_BITS) {
                throw new IllegalArgumentException(
                        "fingerprints have "
                                + MIN_FINGERPRINT_BITS
                                + " to "
                                + MAX_FINGERPRINT_BITS
                                + " bits in 1 to "
                                + MAX_LINES
                                + " lines, and words of 8 bits, got "
                                + perLine
                                + ", "
                                + lines
                                + " and "
                                + wordBits);
            }
        } else {
            if (wordBits != Byte.SIZE
                    || lines < 1
                    || lines > MAX_LINES
                    || perLine < QuotientLine.MIN_SLOTS
                    || perLine > QuotientLine.MAX_SLOTS) {
                throw new IllegalArgumentException(
                        "quotient lines have "
                                + QuotientLine.MIN_SLOTS
                                + " to "
                                + QuotientLine.MAX_SLOTS
                                + " slots, 1 to "
                                + MAX_LINES
                                + " lines an id, and words of 8 bits, got "
                                + perLine
                                + ", "
                                + lines
                                + " and "
                                + wordBits);
            }
        }
    }

    /** A table of at least {@code tableLines} cache lines. */
    static Geometry fingerprints(double tableLines, int fingerprintBits) {
        return table(Layout.FINGERPRINTS, tableLines, fingerprintBits);
    }

    /** A table of at least {@code tableLines} cache lines. */
    static Geometry quotient(double tableLines, QuotientLine line) {
        return table(Layout.QUOTIENT, tableLines, line.slots());
    }

    private static Geometry table(Layout layout, double tableLines, int perLine) {
        int line = LINE_WORDS * Long.BYTES;
        double bytes = Math.max(1, Math.ceil(tableLines)) * line;
        if (bytes > MAX_TABLE_BYTES) {
            throw new IllegalArgumentException(
                    "a table of "
                            + (long) bytes
                            + " bytes is too large, at most "
                            + MAX_TABLE_BYTES
                            + " are possible: spread the ids over more filters");
        }
        return new Geometry(layout, Byte.SIZE, (long) bytes, MAX_LINES, perLine);
    }

    /** Positions in one cache line of 64 bytes. */
    public int positionsPerLine() {
        return LINE_WORDS * Long.SIZE / wordBits;
    }

    /** Planes of the array. */
    public int planes() {
        return PlaneSizing.TABLE_PLANES;
    }

    /** Words of 64 bits. */
    public int words() {
        return (int) (positions * wordBits / Long.SIZE);
    }

    /** Bytes on the heap, without a few for headers. */
    public long bytes() {
        return (long) words() * Long.BYTES;
    }
}
