/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

import java.util.Arrays;

/**
 * How often, in a sample, the lines of a table have sent on ids of which planes. A full line has
 * mostly sent on ids of several planes, so lines are counted for each set of planes. Not
 * thread-safe.
 */
final class PassedLines {
    private static final int SETS = 1 << PlaneSizing.PLANES;

    private final int lines;

    /** Index: a set of planes, as bits. */
    private final int[] ofPlanes = new int[SETS];

    /**
     * @param lines that are sampled
     */
    PassedLines(int lines) {
        this.lines = lines;
    }

    /** Adds a line that sent ids of {@code planes} on. */
    void add(long planes) {
        ofPlanes[(int) planes]++;
    }

    /**
     * For each line of an id, the probability that a lookup gets there, because all lines before
     * have sent on an id of one and the same plane, and that the line is none of those before.
     *
     * @param maxLines of an id, at least 1
     * @param tableLines from which they are chosen independently
     */
    double[] reached(int maxLines, long tableLines) {
        double[] reached = new double[maxLines];
        reached[0] = 1;
        if (ofPlanes[0] == lines) {
            return reached;
        }
        int[] withAll = withAllOfEachSet();
        double[] allHave = new double[SETS];
        Arrays.fill(allHave, 1);
        double isAnother = 1;
        for (int line = 1; line < maxLines; line++) {
            isAnother *= 1 - 1.0 / tableLines;
            for (int set = 1; set < SETS; set++) {
                allHave[set] *= (double) withAll[set] / lines;
            }
            reached[line] = isAnother * haveOneInCommon(allHave);
        }
        return reached;
    }

    /** For each set of planes: lines that sent ids of all of them on. */
    private int[] withAllOfEachSet() {
        int[] withAll = ofPlanes.clone();
        for (int plane = 1; plane < SETS; plane <<= 1) {
            for (int set = 0; set < SETS; set++) {
                withAll[set] += (set & plane) == 0 ? withAll[set | plane] : 0;
            }
        }
        return withAll;
    }

    /** The probability for any plane, from those for all sets, by inclusion and exclusion. */
    private static double haveOneInCommon(double[] allHave) {
        double sum = 0;
        for (int set = 1; set < SETS; set++) {
            sum += (Integer.bitCount(set) & 1) == 0 ? -allHave[set] : allHave[set];
        }
        return Math.min(1, Math.max(0, sum));
    }
}
