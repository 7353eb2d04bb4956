/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.List;

/**
 * What a filter holds and has done since it was opened.
 *
 * @param entries entries in memory and on disk, including tombstones and copies that no merge has
 *     dropped yet
 * @param bufferedEntries how many of them are only in memory
 * @param tombstones how many of them are tombstones, on disk and in memory
 * @param series files by time bucket and length of hash, oldest first
 * @param diskBytes bytes of all level files
 * @param memoryBytes bytes of buffers, page indexes, summaries and overview; without the page
 *     cache, which may be shared
 * @param estimatedFpp probability that an absent hash is reported now, if its key group is as
 *     probable as it is among the entries
 * @param additions calls that added, or found what they would have added
 * @param duplicates how many of these found it
 * @param pageHits pages of files that lookups found in the page cache
 * @param pageReads pages that lookups have read from files
 * @param flushes level files that were written from buffers
 * @param flushedEntries their entries
 * @param flushedBytes their bytes
 * @param flushNanos time of writing them
 * @param merges merges that have ended
 * @param mergesRunning merges that have not
 * @param mergedEntries entries that merges wrote
 * @param mergedBytes bytes that merges wrote
 * @param mergeNanos time of all merges
 * @param expiredFiles level files that were dropped because their time was over
 * @param falsePositiveBound upper bound of the probability that an absent hash is reported: the
 *     configured one, unless entries that were written for a greater one raise it
 * @param forgottenEntries entries that {@link CapacityPolicy#FORGET_OLDEST} has dropped
 * @param stalls how often the owner was delayed: because no buffer was ready, or there were too
 *     many files
 * @param stallNanos how long altogether
 * @param longestStallNanos the longest one
 */
public record CascadeStatistics(
        long entries,
        long bufferedEntries,
        long tombstones,
        List<Series> series,
        long diskBytes,
        long memoryBytes,
        double estimatedFpp,
        long additions,
        long duplicates,
        long pageHits,
        long pageReads,
        long flushes,
        long flushedEntries,
        long flushedBytes,
        long flushNanos,
        long merges,
        int mergesRunning,
        long mergedEntries,
        long mergedBytes,
        long mergeNanos,
        long expiredFiles,
        double falsePositiveBound,
        long forgottenEntries,
        long stalls,
        long stallNanos,
        long longestStallNanos) {

    /**
     * Files that merges may join.
     *
     * @param bucketEnd end of their time bucket in milliseconds, {@link Long#MAX_VALUE} if they
     *     never expire
     * @param hashBits bits of a hash that their entries keep: one number for each era; where key
     *     groups are divided, bits of the place in a part
     */
    public record Series(long bucketEnd, int hashBits, int files, long entries, long bytes) {

        Series plus(Series other) {
            return new Series(
                    bucketEnd,
                    hashBits,
                    files + other.files,
                    entries + other.entries,
                    bytes + other.bytes);
        }
    }

    public CascadeStatistics {
        series = List.copyOf(series);
    }

    /** Level files. */
    public int files() {
        return series.stream().mapToInt(Series::files).sum();
    }

    /** Times that an entry was written, on average: 1 for its flush, and its merges. */
    public double writeAmplification() {
        return flushedEntries == 0
                ? 0
                : (double) (flushedEntries + mergedEntries) / (double) flushedEntries;
    }
}
