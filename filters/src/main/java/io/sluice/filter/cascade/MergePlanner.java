/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.Arrays;

/**
 * Which neighbouring files are merged next; depends only on their sizes. Pure functions.
 *
 * <p>Files that may be merged with each other (one time bucket, one length of hash) form a series,
 * oldest first. The {@link MergePolicy} divides the series' entries into intervals, one for each
 * file that there should be. All files that end in the same interval become one. When every flush
 * is a full buffer, that is exactly the policy's schedule, because intervals end where files end;
 * when it is not (a flush for a snapshot, duplicates that a merge dropped), the ends are off by a
 * few entries, and a file counts where it ends.
 *
 * <p><b>Small flushes.</b> What exceeds a whole number of buffers is divided separately, into at
 * most {@value #SMALL_FILES} more files, by {@link MergePolicy#fewFiles} in units of 1/{@value
 * #SMALL_UNITS} of a buffer: many small flushes cost a few small writes each and do not disturb the
 * large files.
 *
 * <p>Files that are being merged count as one and are left alone, and so are the others of their
 * interval. Only when the files outnumber both the intervals and the policy's maximum for that many
 * entries by {@value #PATIENCE} are free neighbours merged without them. The schedule has no such
 * merge, so this is for merges that are far behind. Intervals alone would not tell: where the
 * policy makes one file of all, every file but one is too many from the start.
 */
final class MergePlanner {

    /** The most files for what exceeds whole buffers. */
    static final int SMALL_FILES = 3;

    static final int SMALL_UNITS = 256;

    /** Files beyond the policy's most that are tolerated while a merge runs. */
    static final int PATIENCE = 4;

    /**
     * The most files that become one at a time; only a restore brings more. Each costs the merge
     * 256 KiB outside the heap, of which Flink leaves little, and half of that on it.
     */
    static final int MOST_INPUTS = 32;

    private static final MergePolicy SMALL = MergePolicy.fewFiles(SMALL_FILES);

    private MergePlanner() {}

    /**
     * Files from {@code from} to {@code to - 1}, at least two; an empty range if there is nothing.
     */
    record Range(int from, int to) {

        static final Range NONE = new Range(0, 0);

        /** The youngest of the files, as many as a merge may have. */
        static Range youngest(int from, int to) {
            return new Range(Math.max(from, to - MOST_INPUTS), to);
        }

        boolean isEmpty() {
            return from == to;
        }
    }

    /**
     * The next merge of a series. The youngest first: it is the shortest.
     *
     * @param sizes entries of each file, oldest first
     * @param busy whether a file is being merged
     * @param bufferEntries entries of a full buffer
     */
    static Range next(MergePolicy policy, long bufferEntries, long[] sizes, boolean[] busy) {
        long entries = total(sizes);
        long[] ends = targetEnds(policy, bufferEntries, entries);
        int[] interval = intervals(sizes, ends);
        for (int to = sizes.length; to > 0; ) {
            int from = to - 1;
            boolean free = !busy[from];
            while (from > 0 && interval[from - 1] == interval[to - 1]) {
                from--;
                free &= !busy[from];
            }
            if (free && to - from > 1) {
                return Range.youngest(from, to);
            }
            to = from;
        }
        int most = Math.max(ends.length, policy.mostFiles(entries / bufferEntries));
        return sizes.length > most + PATIENCE ? longestFree(busy) : Range.NONE;
    }

    /** The next merge of a series that will get no more files: in the end they become one. */
    static Range nextOfClosed(boolean[] busy) {
        for (boolean merging : busy) {
            if (merging) {
                return Range.NONE;
            }
        }
        return busy.length > 1 ? Range.youngest(0, busy.length) : Range.NONE;
    }

    /** The most files that are left of a series when all merges are done. */
    static int mostFiles(MergePolicy policy, long bufferEntries, long[] sizes) {
        return policy.mostFiles(total(sizes) / bufferEntries + 1) + SMALL_FILES;
    }

    /** Where the intervals end, in entries from the oldest; the last one at {@code entries}. */
    static long[] targetEnds(MergePolicy policy, long bufferEntries, long entries) {
        long buffers = entries / bufferEntries;
        long small = entries - buffers * bufferEntries;
        long[] large = policy.target(buffers);
        long[] rest = small > 0 ? SMALL.target(smallUnits(small, bufferEntries)) : new long[0];
        long[] ends = new long[large.length + rest.length];
        long end = 0;
        for (int i = 0; i < large.length; i++) {
            end += large[i] * bufferEntries;
            ends[i] = end;
        }
        long units = 0;
        for (int i = 0; i < rest.length; i++) {
            units += rest[i];
            ends[large.length + i] = end + (units * bufferEntries + SMALL_UNITS - 1) / SMALL_UNITS;
        }
        if (ends.length > 0) {
            ends[ends.length - 1] = Math.max(entries, ends[ends.length - 1]);
        }
        return ends;
    }

    private static long smallUnits(long entries, long bufferEntries) {
        return (entries * SMALL_UNITS + bufferEntries - 1) / bufferEntries;
    }

    /** The interval in which each file ends. */
    private static int[] intervals(long[] sizes, long[] ends) {
        int[] intervals = new int[sizes.length];
        long end = 0;
        int at = 0;
        for (int i = 0; i < sizes.length; i++) {
            end += sizes[i];
            while (at < ends.length - 1 && end > ends[at]) {
                at++;
            }
            intervals[i] = at;
        }
        return intervals;
    }

    private static Range longestFree(boolean[] busy) {
        Range longest = Range.NONE;
        for (int from = 0; from < busy.length; from++) {
            int to = from;
            while (to < busy.length && !busy[to]) {
                to++;
            }
            if (to - from > Math.max(1, longest.to() - longest.from())) {
                longest = new Range(from, to);
            }
            from = to;
        }
        return Range.youngest(longest.from(), longest.to());
    }

    private static long total(long[] sizes) {
        return Arrays.stream(sizes).sum();
    }
}
