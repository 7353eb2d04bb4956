/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

/** How often the lines of a table, in a sample, have sent ids on. Not thread-safe. */
final class PassedLines {
    private final int lines;
    private final long[] ofPlane = new long[WindowSizing.PLANES];
    private long any;

    /**
     * @param lines that are sampled
     */
    PassedLines(int lines) {
        this.lines = lines;
    }

    /** Adds a line that sent ids of {@code planes} on. */
    void add(long planes) {
        any += planes != 0 ? 1 : 0;
        for (long left = planes; left != 0; left &= left - 1) {
            ofPlane[Long.numberOfTrailingZeros(left)]++;
        }
    }

    /**
     * For each line of an id, the probability that a lookup gets there: while all lines before sent
     * an id of the same plane on.
     */
    double[] reached(int maxLines) {
        double[] reached = new double[maxLines];
        reached[0] = 1;
        for (int line = 1; line < maxLines; line++) {
            double none = 1;
            for (long passed : ofPlane) {
                none *= 1 - Math.pow((double) passed / lines, line);
            }
            reached[line] = 1 - none;
        }
        if (maxLines > 1) {
            // The planes' marks in one line are not independent: here it is known how often.
            reached[1] = (double) any / lines;
        }
        return reached;
    }
}
