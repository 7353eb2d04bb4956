/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

/**
 * How often, in a sample, the lines of a table have sent on ids of which planes. A full line has
 * mostly sent on ids of several planes, so each line's planes are kept. Not thread-safe.
 */
final class PassedLines {

    /** Pairs of more lines than this would take longer to compare than they add. */
    private static final int MAX_COMPARED = 64;

    private final int lines;

    /** The planes of each line that sent ids on. */
    private final long[] marks;

    private int marked;

    /**
     * @param lines that are sampled
     */
    PassedLines(int lines) {
        this.lines = lines;
        this.marks = new long[lines];
    }

    /** Adds a line that sent ids of {@code planes} on. */
    void add(long planes) {
        if (planes != 0) {
            marks[marked++] = planes;
        }
    }

    /**
     * For each line of an id, the probability that a lookup gets there, because all lines before
     * have sent on an id of one and the same plane, and that the line is none of those before.
     * Exact for the first three lines, as far as the sample goes; each further one is taken to be
     * reached as often from the one before it as the third is from the second.
     *
     * @param maxLines of an id, at least 1
     * @param tableLines from which they are chosen independently
     */
    double[] reached(int maxLines, long tableLines) {
        double[] reached = new double[maxLines];
        reached[0] = 1;
        if (marked == 0) {
            return reached;
        }
        double another = 1 - 1.0 / tableLines;
        double one = (double) marked / lines;
        double next = one * pairsWithOneInCommon();
        double share = one;
        for (int line = 1; line < maxLines; line++) {
            share *= another;
            reached[line] = share;
            share *= next;
        }
        return reached;
    }

    /** The probability that two lines that sent ids on have done so for one and the same plane. */
    private double pairsWithOneInCommon() {
        int compared = Math.min(marked, MAX_COMPARED);
        if (compared == 1) {
            return 1;
        }
        int common = 0;
        for (int i = 0; i < compared; i++) {
            long planes = mark(i, compared);
            for (int j = 0; j < i; j++) {
                common += (planes & mark(j, compared)) != 0 ? 1 : 0;
            }
        }
        return common / (compared * (compared - 1) / 2.0);
    }

    /** Spreads those that are compared over all. */
    private long mark(int i, int compared) {
        return marks[(int) ((long) i * marked / compared)];
    }
}
