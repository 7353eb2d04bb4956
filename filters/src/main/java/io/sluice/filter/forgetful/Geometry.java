/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

/**
 * Shape of a {@link SlicedArray}: where an id's bits go. Two arrays with equal geometry understand
 * each other's words.
 *
 * @param layout where the positions of an id lie
 * @param wordBits bits per position, one for each generation: 8, 16, 32 or 64
 * @param positions number of positions; a multiple of {@link #positionsPerLine()}
 * @param lines cache lines per id, 1 to 8 if blocked; 0 if scattered
 * @param perLine positions per id in each of these lines, a power of two from 2 to half a line; if
 *     scattered, positions per id altogether, 1 to 64
 */
record Geometry(Layout layout, int wordBits, long positions, int lines, int perLine) {

    /** Positions are numbered with 32 bits. */
    static final long MAX_POSITIONS = 1L << 32;

    static final int LINE_WORDS = 8;
    static final int MAX_PROBES = 64;
    static final int MAX_LINES = 8;

    Geometry {
        if (wordBits < 8 || wordBits > 64 || Integer.bitCount(wordBits) != 1) {
            throw new IllegalArgumentException("wordBits must be 8, 16, 32 or 64, got " + wordBits);
        }
        int positionsPerLine = LINE_WORDS * Long.SIZE / wordBits;
        if (positions < positionsPerLine
                || positions > MAX_POSITIONS
                || positions % positionsPerLine != 0
                || positions * wordBits / Long.SIZE > Integer.MAX_VALUE - 64) {
            throw new IllegalArgumentException(
                    "positions must be a multiple of "
                            + positionsPerLine
                            + " of at most 2^32, in at most 16 GiB, got "
                            + positions
                            + ": use several filters");
        }
        if (layout == Layout.SCATTERED) {
            if (lines != 0 || perLine < 1 || perLine > MAX_PROBES) {
                throw new IllegalArgumentException(
                        "a scattered id has 1 to " + MAX_PROBES + " positions, got " + perLine);
            }
        } else if (lines < 1
                || lines > MAX_LINES
                || perLine < 2
                || perLine > positionsPerLine / 2
                || Integer.bitCount(perLine) != 1) {
            throw new IllegalArgumentException(
                    "a blocked id has 1 to "
                            + MAX_LINES
                            + " lines with 2, 4, ... "
                            + positionsPerLine / 2
                            + " positions in each, got "
                            + lines
                            + " and "
                            + perLine);
        }
    }

    static Geometry scattered(int wordBits, long positions, int probes) {
        return new Geometry(Layout.SCATTERED, wordBits, roundUp(wordBits, positions), 0, probes);
    }

    static Geometry blocked(int wordBits, long positions, int lines, int perLine) {
        return new Geometry(Layout.BLOCKED, wordBits, roundUp(wordBits, positions), lines, perLine);
    }

    private static long roundUp(int wordBits, long positions) {
        int line = LINE_WORDS * Long.SIZE / wordBits;
        return Math.max(1, (positions + line - 1) / line) * line;
    }

    /** Positions in one cache line of 64 bytes. */
    int positionsPerLine() {
        return LINE_WORDS * Long.SIZE / wordBits;
    }

    /** Positions per id. */
    int probes() {
        return layout == Layout.SCATTERED ? perLine : lines * perLine;
    }

    /** Words of 64 bits. */
    int words() {
        return (int) (positions * wordBits / Long.SIZE);
    }

    /** Bytes on heap, without a few of headers. */
    long bytes() {
        return (long) words() * Long.BYTES;
    }
}
