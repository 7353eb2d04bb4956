/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.cascade.file.LevelFileInfo;
import java.util.Optional;

/** Sums of what was done in the background. Thread-safe: guarded by its own lock. */
final class WorkCounters {

    private long flushes;
    private long flushedEntries;
    private long flushedBytes;
    private long flushNanos;
    private long merges;
    private long mergedEntries;
    private long mergedBytes;
    private long mergeNanos;

    /**
     * @param mergeNanos time of all merges together
     */
    record Sums(
            long flushes,
            long flushedEntries,
            long flushedBytes,
            long flushNanos,
            long merges,
            long mergedEntries,
            long mergedBytes,
            long mergeNanos) {}

    synchronized void flushed(LevelFileInfo file, long nanos) {
        flushes++;
        flushedEntries += file.entries();
        flushedBytes += file.sizeBytes();
        flushNanos += nanos;
    }

    synchronized void merged(Optional<LevelFileInfo> file, long nanos) {
        merges++;
        mergeNanos += nanos;
        if (file.isPresent()) {
            mergedEntries += file.get().entries();
            mergedBytes += file.get().sizeBytes();
        }
    }

    synchronized Sums sums() {
        return new Sums(
                flushes,
                flushedEntries,
                flushedBytes,
                flushNanos,
                merges,
                mergedEntries,
                mergedBytes,
                mergeNanos);
    }
}
