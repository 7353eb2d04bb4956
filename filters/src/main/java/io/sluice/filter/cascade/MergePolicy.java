/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.Arrays;

/**
 * How the entries of n buffers are divided among level files, oldest first: the target that merges
 * work towards. Pure functions of the amount, so nothing has to be remembered: after a restart, a
 * restore from several snapshots or a change of the policy, merges go on from the files that are
 * there.
 *
 * <p>Amounts are counted in full buffers. When an amount grows by one, the target either gets
 * another file of one buffer, or some of the youngest files have to be merged into one.
 *
 * <p>Immutable.
 */
public abstract sealed class MergePolicy {

    private static final int MAX_FILES = 16;

    private static final int MAX_FAN_OUT = 64;

    private MergePolicy() {}

    /**
     * At most {@code files} files at any time, with the fewest writes of an entry that allow it.
     * For structures that are read at least as often as they are added to.
     *
     * <p>With k files, and entries written at most d times, f(d, k) = C(d + k, k) - 1 buffers fit.
     * Proof by the schedule: f(d - 1, k) buffers with at most d - 1 writes each; then one more,
     * merged with all that is there into one file; then, beside that file, f(d, k - 1) more
     * buffers. So f(d, k) = f(d - 1, k) + 1 + f(d, k - 1). The schedule for d begins with the one
     * for d - 1, so it has no end and needs no plan. After t buffers the files hold C(c_k, k),
     * C(c_(k-1), k - 1), ... buffers with c_k &gt; c_(k-1) &gt; ...: t in the combinatorial number
     * system. All entries of f(d, k) buffers are written k C(d + k, k + 1) times together, k d / (k
     * + 1) times each on average.
     *
     * @param files from 1 to 16; default 4
     */
    public static MergePolicy fewFiles(int files) {
        if (files < 1 || files > MAX_FILES) {
            throw new IllegalArgumentException(
                    "files must be between 1 and " + MAX_FILES + ", got " + files);
        }
        return new FewFiles(files);
    }

    /**
     * Levels whose sizes are {@code fanOut} times each other (Bender et al., section 2): level i
     * has a file of 1 to fanOut - 1 times fanOut^i buffers, or none; when it would get more, it and
     * all younger files are merged into the next level. With a fan-out of 2 that is the paper's
     * cascade filter: the files are the ones in the binary number of buffers, an entry is written
     * about log2(t) / 2 times, and a lookup asks about as many files. A larger fan-out has fewer
     * files and more writes.
     *
     * @param fanOut from 2 to 64
     */
    public static MergePolicy doubling(int fanOut) {
        if (fanOut < 2 || fanOut > MAX_FAN_OUT) {
            throw new IllegalArgumentException(
                    "fanOut must be between 2 and " + MAX_FAN_OUT + ", got " + fanOut);
        }
        return new Doubling(fanOut);
    }

    /**
     * Sizes of the files, oldest first, in buffers; their sum is {@code buffers}.
     *
     * @param buffers at least 0
     */
    abstract long[] target(long buffers);

    /** The most files of {@link #target} for up to {@code buffers} buffers. */
    abstract int mostFiles(long buffers);

    private static final class FewFiles extends MergePolicy {
        private final int files;

        private FewFiles(int files) {
            this.files = files;
        }

        @Override
        long[] target(long buffers) {
            long[] sizes = new long[files];
            int count = 0;
            long left = buffers;
            for (int k = files; k >= 1 && left > 0; k--) {
                sizes[count] = greatestBinomial(k, left);
                left -= sizes[count++];
            }
            return Arrays.copyOf(sizes, count);
        }

        @Override
        int mostFiles(long buffers) {
            return (int) Math.min(files, buffers);
        }

        /** The greatest C(c, k) that is at most {@code most}, which is at least 1. */
        private static long greatestBinomial(int k, long most) {
            if (k == 1) {
                return most;
            }
            long binomial = 1;
            for (long c = k; ; c++) {
                // C(c + 1, k) = C(c, k) (c + 1) / (c + 1 - k). Amounts are far below 2^53 / 2^9.
                long next = binomial * (c + 1) / (c + 1 - k);
                if (next > most) {
                    return binomial;
                }
                binomial = next;
            }
        }

        @Override
        public String toString() {
            return "fewFiles(" + files + ")";
        }
    }

    private static final class Doubling extends MergePolicy {
        private final int fanOut;

        private Doubling(int fanOut) {
            this.fanOut = fanOut;
        }

        @Override
        long[] target(long buffers) {
            long[] sizes = new long[Long.SIZE];
            int first = sizes.length;
            long unit = 1;
            for (long left = buffers; left > 0; left /= fanOut) {
                long digit = left % fanOut;
                if (digit > 0) {
                    sizes[--first] = digit * unit;
                }
                unit *= fanOut;
            }
            return Arrays.copyOfRange(sizes, first, sizes.length);
        }

        @Override
        int mostFiles(long buffers) {
            int files = 0;
            for (long left = buffers; left > 0; left /= fanOut) {
                files++;
            }
            return files;
        }

        @Override
        public String toString() {
            return "doubling(" + fanOut + ")";
        }
    }
}
