/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import java.util.ArrayList;
import java.util.List;

/**
 * Merges cursors over fingerprints of equal length into one (Bender et al., section 2): a binary
 * tree of two-way merges, each without a branch that depends on the fingerprints. Inputs may divide
 * their fingerprints into quotient and remainder as they like.
 *
 * <p>Cost: O(log k) for a fingerprint and k inputs; 16 KiB for each of them.
 */
final class FingerprintMerge {

    private static final int BATCH = 1 << 10;

    private FingerprintMerge() {}

    /** All fingerprints of all inputs, with all their copies: the sum of multisets. */
    public static FingerprintCursor sum(List<? extends FingerprintCursor> inputs) {
        if (inputs.isEmpty()) {
            throw new IllegalArgumentException("inputs must not be empty");
        }
        int bits = inputs.get(0).fingerprintBits();
        for (FingerprintCursor input : inputs) {
            if (input.fingerprintBits() != bits) {
                throw new IllegalArgumentException(
                        "inputs must have fingerprints of equal length, got "
                                + bits
                                + " and "
                                + input.fingerprintBits()
                                + " bits: only filters of one family can be merged");
            }
        }
        List<FingerprintCursor> level = new ArrayList<>(inputs);
        while (level.size() > 1) {
            List<FingerprintCursor> merged = new ArrayList<>();
            for (int i = 0; i + 1 < level.size(); i += 2) {
                merged.add(new Pair(level.get(i), level.get(i + 1)));
            }
            if (level.size() % 2 != 0) {
                merged.add(level.get(level.size() - 1));
            }
            level = merged;
        }
        return level.get(0);
    }

    /** The fingerprints of all inputs, each once: the union of sets. */
    public static FingerprintCursor union(List<? extends FingerprintCursor> inputs) {
        return new Distinct(sum(inputs));
    }

    /** Two inputs. */
    private static final class Pair implements FingerprintCursor {
        private final Source left;
        private final Source right;

        private Pair(FingerprintCursor left, FingerprintCursor right) {
            this.left = new Source(left);
            this.right = new Source(right);
        }

        @Override
        public int next(long[] into, int from, int length) {
            int at = from;
            int to = from + length;
            while (at < to) {
                boolean leftHas = left.hasMore();
                boolean rightHas = right.hasMore();
                if (leftHas && rightHas) {
                    at = merge(into, at, to);
                } else if (leftHas) {
                    at += left.copy(into, at, to - at);
                } else if (rightHas) {
                    at += right.copy(into, at, to - at);
                } else {
                    break;
                }
            }
            return at - from;
        }

        /** Merges until the output is full or an input needs its next batch. */
        private int merge(long[] into, int from, int to) {
            long[] a = left.batch;
            long[] b = right.batch;
            int i = left.at;
            int j = right.at;
            // This many steps are safe whichever side is chosen.
            int at = from;
            while (i < left.end && j < right.end && at < to) {
                int steps = Math.min(to - at, Math.min(left.end - i, right.end - j));
                for (int end = at + steps; at < end; at++) {
                    long x = a[i];
                    long y = b[j];
                    // All ones if x < y, else 0: both are at least 0, so nothing overflows.
                    long less = (x - y) >> 63;
                    into[at] = y ^ ((x ^ y) & less);
                    i -= (int) less;
                    j += 1 + (int) less;
                }
            }
            left.at = i;
            right.at = j;
            return at;
        }

        @Override
        public int fingerprintBits() {
            return left.cursor.fingerprintBits();
        }
    }

    /** A cursor and what was read ahead from it. */
    private static final class Source {
        private final FingerprintCursor cursor;
        private final long[] batch = new long[BATCH];
        private int at;
        private int end;

        private Source(FingerprintCursor cursor) {
            this.cursor = cursor;
        }

        private boolean hasMore() {
            if (at == end) {
                at = 0;
                end = cursor.next(batch, 0, BATCH);
            }
            return at < end;
        }

        private int copy(long[] into, int from, int length) {
            int n = Math.min(length, end - at);
            System.arraycopy(batch, at, into, from, n);
            at += n;
            return n;
        }
    }

    /** Leaves out copies. */
    private static final class Distinct implements FingerprintCursor {
        private final FingerprintCursor input;
        private long last = -1;

        private Distinct(FingerprintCursor input) {
            this.input = input;
        }

        @Override
        public int next(long[] into, int from, int length) {
            int at = from;
            while (at == from) {
                int read = input.next(into, from, length);
                if (read == 0) {
                    return 0;
                }
                for (int i = from; i < from + read; i++) {
                    long fingerprint = into[i];
                    into[at] = fingerprint;
                    // Overwritten by the next one if it was a copy; 1 if not, as both are >= -1.
                    at += (int) ((last - fingerprint) >>> 63);
                    last = fingerprint;
                }
            }
            return at - from;
        }

        @Override
        public int fingerprintBits() {
            return input.fingerprintBits();
        }
    }
}
