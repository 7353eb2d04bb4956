/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.merge;

import java.util.List;

/**
 * Merges ascending inputs into one ascending sequence (Knuth, The Art of Computer Programming,
 * volume 3, section 5.4.1): a binary tree of two-way merges, each without a branch that depends on
 * the numbers.
 *
 * <p>Two numbers are equal if they differ at most in the ignored bits. Of equal numbers that are in
 * different inputs, the merge keeps either the one of the earliest input, or all.
 *
 * <p>Cost: O(log k) for a number and k inputs, less for numbers of large inputs; memory for a batch
 * of each input, and 16 KiB for each input but the first.
 *
 * @param <E> what reading an input may throw
 */
public final class TournamentMerge<E extends Exception> implements SortedCursor<E> {

    /** Numbers that a merge of two makes at a time: they stay in the first-level cache. */
    private static final int MERGED_BATCH = 1 << 11;

    /** In the order of the inputs: equal numbers come from the left one first. */
    private final Source<E> left;

    private final Source<E> right;
    private final long ignoredBits;

    /** What is added to a difference of 0 so that only the left number is passed: -1 or 0. */
    private final long tieBreak;

    private TournamentMerge(
            SortedCursor<E> left, SortedCursor<E> right, long ignoredBits, long tieBreak) {
        this.left = new Source<>(left);
        this.right = new Source<>(right);
        this.ignoredBits = ignoredBits;
        this.tieBreak = tieBreak;
    }

    /**
     * Merges inputs so that of equal numbers the one of the earliest input stays.
     *
     * @param inputs at least one; in each, no two numbers are equal
     * @param ignoredBits bits in which equal numbers may differ
     */
    public static <E extends Exception> SortedCursor<E> firstOfEqual(
            List<? extends SortedCursor<E>> inputs, long ignoredBits) {
        return tree(inputs, ignoredBits, 0);
    }

    /**
     * Merges inputs so that all numbers stay, equal ones next to each other.
     *
     * @param inputs at least one
     */
    public static <E extends Exception> SortedCursor<E> all(
            List<? extends SortedCursor<E>> inputs) {
        return tree(inputs, 0, -1);
    }

    /** Halves the inputs by numbers, so that large inputs are copied less often. */
    private static <E extends Exception> SortedCursor<E> tree(
            List<? extends SortedCursor<E>> inputs, long ignoredBits, long tieBreak) {
        if (inputs.isEmpty()) {
            throw new IllegalArgumentException("inputs must not be empty");
        }
        if (inputs.size() == 1) {
            return inputs.get(0);
        }
        double total = inputs.stream().mapToDouble(TournamentMerge::weight).sum();
        int split = 1;
        double before = weight(inputs.get(0));
        while (split < inputs.size() - 1 && before + weight(inputs.get(split)) / 2 < total / 2) {
            before += weight(inputs.get(split++));
        }
        return new TournamentMerge<>(
                tree(inputs.subList(0, split), ignoredBits, tieBreak),
                tree(inputs.subList(split, inputs.size()), ignoredBits, tieBreak),
                ignoredBits,
                tieBreak);
    }

    /** Never 0, so that inputs of unknown length are halved by their number. */
    private static double weight(SortedCursor<?> input) {
        return 1.0 + input.expectedEntries();
    }

    @Override
    public int next(long[] into) throws E {
        int at = 0;
        int to = Math.min(into.length, MERGED_BATCH);
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
        return at;
    }

    /** Merges until the output is full or an input needs its next batch. */
    private int merge(long[] into, int from, int to) {
        long[] a = left.batch;
        long[] b = right.batch;
        long ignored = ignoredBits;
        long tie = tieBreak;
        int i = left.at;
        int j = right.at;
        int at = from;
        while (i < left.end && j < right.end && at < to) {
            // This many steps are safe whichever side is chosen.
            int steps = Math.min(to - at, Math.min(left.end - i, right.end - j));
            for (int end = at + steps; at < end; at++) {
                long x = a[i];
                long y = b[j];
                // Both are at least 0, so nothing overflows.
                long difference = (x | ignored) - (y | ignored);
                // All ones if only the left number is passed, or only the right one; else 0. Of
                // equal numbers the left one stays, and the right one is passed with it or next.
                long leftOnly = (difference + tie) >> 63;
                long rightOnly = -difference >> 63;
                into[at] = x ^ ((x ^ y) & rightOnly);
                i += 1 + (int) rightOnly;
                j += 1 + (int) leftOnly;
            }
        }
        left.at = i;
        right.at = j;
        return at;
    }

    @Override
    public int batchLength() {
        return MERGED_BATCH;
    }

    @Override
    public long expectedEntries() {
        return left.expectedEntries() + right.expectedEntries();
    }

    /** A cursor and what was read ahead from it. */
    private static final class Source<E extends Exception> {
        private final SortedCursor<E> cursor;
        private final long[] batch;
        private int at;
        private int end;

        private Source(SortedCursor<E> cursor) {
            this.cursor = cursor;
            batch = new long[cursor.batchLength()];
        }

        private boolean hasMore() throws E {
            if (at == end) {
                at = 0;
                end = cursor.next(batch);
            }
            return at < end;
        }

        private int copy(long[] into, int from, int length) {
            int n = Math.min(length, end - at);
            System.arraycopy(batch, at, into, from, n);
            at += n;
            return n;
        }

        private long expectedEntries() {
            return end - at + cursor.expectedEntries();
        }
    }
}
