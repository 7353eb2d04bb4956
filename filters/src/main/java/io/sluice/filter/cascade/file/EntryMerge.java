/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.annotation.Internal;
import java.io.IOException;
import java.util.List;

/**
 * Merges entries of several ages into one ascending sequence: the newest entry of each key stays. A
 * binary tree of two-way merges, each without a branch that depends on the entries.
 *
 * <p>Inputs may keep different numbers of hash bits; the smallest number applies to all. Keys of
 * one input that become equal by this become one, which is a tombstone only if all of them were: a
 * key that is in the set is never lost.
 *
 * <p>Cost: O(log k) for an entry and k inputs, less for entries of large inputs; 128 KiB for each
 * input.
 */
@Internal
public final class EntryMerge {

    /** Entries that a merge of two makes at a time: they stay in the first-level cache. */
    private static final int BATCH = 1 << 11;

    private EntryMerge() {}

    /**
     * Merges inputs, which are closed with the result.
     *
     * @param newestFirst at least one, in order of age: the entries of an earlier one win
     * @param dropTombstones leaves tombstones out of the result: only if nothing older than these
     *     inputs holds entries that the tombstones still have to hide
     */
    public static EntryCursor of(List<? extends EntryCursor> newestFirst, boolean dropTombstones) {
        if (newestFirst.isEmpty()) {
            throw new IllegalArgumentException("newestFirst must not be empty");
        }
        int hashBits = newestFirst.stream().mapToInt(EntryCursor::hashBits).min().getAsInt();
        EntryCursor merged = tree(newestFirst, hashBits);
        return dropTombstones ? new WithoutTombstones(merged) : merged;
    }

    /** Halves the inputs by entries, not by number, so that large inputs are copied less often. */
    private static EntryCursor tree(List<? extends EntryCursor> inputs, int hashBits) {
        if (inputs.size() == 1) {
            EntryCursor input = inputs.get(0);
            return input.hashBits() == hashBits ? input : new Shortened(input, hashBits);
        }
        long total = inputs.stream().mapToLong(EntryCursor::expectedEntries).sum();
        int split = 1;
        long before = inputs.get(0).expectedEntries();
        while (split < inputs.size() - 1
                && before + inputs.get(split).expectedEntries() / 2 < total / 2) {
            before += inputs.get(split++).expectedEntries();
        }
        return new Pair(
                tree(inputs.subList(0, split), hashBits),
                tree(inputs.subList(split, inputs.size()), hashBits));
    }

    /** Two inputs of equal hash bits, the left one newer. */
    private static final class Pair implements EntryCursor {
        private final Source left;
        private final Source right;

        private Pair(EntryCursor left, EntryCursor right) {
            this.left = new Source(left);
            this.right = new Source(right);
        }

        @Override
        public int next(long[] into) throws IOException {
            int at = 0;
            int to = Math.min(into.length, BATCH);
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
            int i = left.at;
            int j = right.at;
            int at = from;
            while (i < left.end && j < right.end && at < to) {
                // This many steps are safe whichever side is chosen.
                int steps = Math.min(to - at, Math.min(left.end - i, right.end - j));
                for (int end = at + steps; at < end; at++) {
                    long x = a[i];
                    long y = b[j];
                    long difference = (x | Entries.TOMBSTONE) - (y | Entries.TOMBSTONE);
                    // All ones if the left key is the smaller one, or the right one; both 0 if
                    // they are equal: then the left entry stays and both are passed.
                    long leftOnly = difference >> 63;
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
        public int hashBits() {
            return left.cursor.hashBits();
        }

        @Override
        public long expectedEntries() {
            return left.expectedEntries() + right.expectedEntries();
        }

        @Override
        public void close() throws IOException {
            try {
                left.cursor.close();
            } finally {
                right.cursor.close();
            }
        }
    }

    /** A cursor and what was read ahead from it. */
    private static final class Source {
        private final EntryCursor cursor;
        private final long[] batch;
        private int at;
        private int end;

        private Source(EntryCursor cursor) {
            this.cursor = cursor;
            batch = new long[cursor instanceof Pair ? BATCH : LevelFile.MAX_PAGE_ENTRIES];
        }

        private boolean hasMore() throws IOException {
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

    /** Keeps fewer hash bits. */
    private static final class Shortened implements EntryCursor {
        private final EntryCursor input;
        private final int hashBits;
        private final long mask;

        /** The last key, which following entries may still join; -1 if there is none. */
        private long pending = -1;

        private Shortened(EntryCursor input, int hashBits) {
            this.input = input;
            this.hashBits = hashBits;
            mask = Entries.mask(hashBits);
        }

        @Override
        public int next(long[] into) throws IOException {
            int at = 0;
            while (at == 0) {
                int n = input.next(into);
                if (n == 0) {
                    if (pending < 0) {
                        return 0;
                    }
                    into[0] = pending;
                    pending = -1;
                    return 1;
                }
                int first = 0;
                if (pending < 0) {
                    pending = into[0] & mask;
                    first = 1;
                }
                for (int i = first; i < n; i++) {
                    long entry = into[i] & mask;
                    if ((entry | Entries.TOMBSTONE) == (pending | Entries.TOMBSTONE)) {
                        pending &= entry;
                    } else {
                        // at <= i: each entry writes at most one, and that is the one before it.
                        into[at++] = pending;
                        pending = entry;
                    }
                }
            }
            return at;
        }

        @Override
        public int hashBits() {
            return hashBits;
        }

        @Override
        public long expectedEntries() {
            return input.expectedEntries();
        }

        @Override
        public void close() throws IOException {
            input.close();
        }
    }

    private static final class WithoutTombstones implements EntryCursor {
        private final EntryCursor input;

        private WithoutTombstones(EntryCursor input) {
            this.input = input;
        }

        @Override
        public int next(long[] into) throws IOException {
            while (true) {
                int n = input.next(into);
                int at = 0;
                for (int i = 0; i < n; i++) {
                    long entry = into[i];
                    into[at] = entry;
                    // A tombstone is overwritten by the next entry.
                    at += (int) (~entry & Entries.TOMBSTONE);
                }
                if (at > 0 || n == 0) {
                    return at;
                }
            }
        }

        @Override
        public int hashBits() {
            return input.hashBits();
        }

        @Override
        public long expectedEntries() {
            return input.expectedEntries();
        }

        @Override
        public void close() throws IOException {
            input.close();
        }
    }
}
