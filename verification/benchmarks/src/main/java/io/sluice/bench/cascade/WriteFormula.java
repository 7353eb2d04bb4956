/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

/**
 * How often an entry is written under the schedules of merge policies: pure functions of the number
 * of filled buffers. Computed independently of the filter's own planner, so that the two can
 * disagree.
 *
 * <p>Both schedules say which files exist after t buffers. From one t to the next only the youngest
 * file changes, so y(t) buffers are written, where y(t) is its size. A buffer is always first
 * written as its own file; if y(t) = 1, that is all. So t buffers cost t + (the sum of y over those
 * with y greater than 1) writes of a buffer.
 */
final class WriteFormula {
    private WriteFormula() {}

    /**
     * At most {@code files} files. Their sizes are the largest binomials C(c, files), C(c', files -
     * 1), ... that fit into what is left (the combinatorial number system).
     *
     * @return writes per entry, including 1 for its flush
     */
    static double fewFiles(long buffers, int files) {
        double merged = 0;
        for (long t = 1; t <= buffers; t++) {
            long left = t;
            long youngest = 0;
            for (int k = files; k >= 1 && left > 0; k--) {
                youngest = greatestBinomial(k, left);
                left -= youngest;
            }
            merged += youngest > 1 ? youngest : 0;
        }
        return 1 + merged / buffers;
    }

    private static long greatestBinomial(int k, long most) {
        long best = 1;
        for (int c = k; ; c++) {
            long binomial = 1;
            for (int i = 1; i <= k; i++) {
                binomial = binomial * (c - k + i) / i;
            }
            if (binomial > most) {
                return best;
            }
            best = binomial;
        }
    }

    /**
     * Each level is {@code fanOut} times the one before: the files are the digits of t in that
     * base, and the youngest is the lowest non-zero digit.
     *
     * @return writes per entry, including 1 for its flush
     */
    static double doubling(long buffers, int fanOut) {
        double merged = 0;
        for (long t = 1; t <= buffers; t++) {
            long unit = 1;
            long rest = t;
            while (rest % fanOut == 0) {
                rest /= fanOut;
                unit *= fanOut;
            }
            long youngest = rest % fanOut * unit;
            merged += youngest > 1 ? youngest : 0;
        }
        return 1 + merged / buffers;
    }

    /**
     * The paper's formula for merging the buffer directly with the files (fan-out 2): log2(t) / 2 +
     * 1.
     */
    static double paper(long buffers) {
        return Math.log((double) buffers) / Math.log(2) / 2 + 1;
    }
}
