/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.cascade.file.LevelFile;
import java.util.ArrayList;
import java.util.List;

/** Counts for {@link CascadeStatistics}. */
final class Statistics {

    private Statistics() {}

    static CascadeStatistics of(
            CascadeStore store,
            CurrentVersion current,
            ActiveBuffer active,
            Stalls stalls,
            long expiredFiles,
            long memoryBytes,
            long additions,
            long duplicates) {
        Version version = current.version();
        List<CascadeStatistics.Series> allSeries = seriesOf(version);
        long buffered = active.buffer().size();
        long tombstones = active.buffer().tombstones();
        for (FrozenBuffer frozen : version.frozen()) {
            buffered += frozen.buffer().size();
            tombstones += frozen.buffer().tombstones();
        }
        long pageHits = 0;
        long pageReads = 0;
        for (FileSection section : version.files()) {
            tombstones += section.tombstones();
            LevelFile file = section.stored().file();
            pageHits += file.pageHits();
            pageReads += file.pageReads();
        }
        WorkCounters.Sums work = store.counters().sums();
        return new CascadeStatistics(
                buffered + allSeries.stream().mapToLong(CascadeStatistics.Series::entries).sum(),
                buffered,
                tombstones,
                allSeries,
                allSeries.stream().mapToLong(CascadeStatistics.Series::bytes).sum(),
                memoryBytes,
                Math.min(1, fpp(store.options(), active, version)),
                additions,
                duplicates,
                pageHits,
                pageReads,
                work.flushes(),
                work.flushedEntries(),
                work.flushedBytes(),
                work.flushNanos(),
                work.merges(),
                store.catalog().mergesRunning(),
                work.mergedEntries(),
                work.mergedBytes(),
                work.mergeNanos(),
                expiredFiles,
                current.falsePositiveBound(),
                active.forgottenEntries(),
                stalls.count(),
                stalls.nanos(),
                stalls.longestNanos());
    }

    /** Oldest first. */
    private static List<CascadeStatistics.Series> seriesOf(Version version) {
        List<CascadeStatistics.Series> allSeries = new ArrayList<>();
        FileSection last = null;
        for (int i = version.files().size() - 1; i >= 0; i--) {
            FileSection file = version.files().get(i);
            CascadeStatistics.Series series =
                    new CascadeStatistics.Series(
                            file.bucketEnd(),
                            file.hashBits(),
                            1,
                            file.entries(),
                            file.info().sizeBytes());
            if (last != null && last.isAlike(file)) {
                allSeries.set(
                        allSeries.size() - 1, allSeries.get(allSeries.size() - 1).plus(series));
            } else {
                allSeries.add(series);
            }
            last = file;
        }
        return allSeries;
    }

    /** Files add up: n / 2^p for each, n of a key group. */
    private static double fpp(CascadeOptions options, ActiveBuffer active, Version version) {
        KeyGroupLoad load = new KeyGroupLoad(options.keyGroups(), options.parts());
        load.add(active.buffer(), 0);
        version.frozen().forEach(frozen -> load.add(frozen.buffer(), 0));
        version.files().forEach(file -> load.add(file, 0));
        return load.mean();
    }

    /** Without the overview. */
    static long memoryBytes(CascadeStore store, Version version) {
        long bytes = store.buffers().sizeInBytes();
        for (FileSection file : version.files()) {
            bytes += file.stored().file().sizeInBytes();
        }
        return bytes;
    }
}
