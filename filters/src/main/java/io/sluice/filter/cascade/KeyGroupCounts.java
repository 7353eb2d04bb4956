/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.cascade.file.Entries;
import io.sluice.filter.cascade.file.EntryCursor;
import io.sluice.filter.cascade.file.LevelFile;
import java.io.IOException;

/**
 * How many entries of a level file each key group has. Keys need not be spread evenly: many may
 * have equal hash codes, or few may have many namespaces.
 *
 * <p>Exact for files that this filter wrote, and for small ones. For others it is what their page
 * index says, which is off by a page of entries at most. Written by one thread, then handed over.
 */
final class KeyGroupCounts {

    /** A file of this size is read; in a larger one, a page is a small part. */
    private static final long READ_BYTES = 1 << 20;

    private final int first;
    private final int partBits;
    private final long[] counts;

    KeyGroupCounts(KeyGroups keyGroups, KeyGroupParts parts) {
        this.first = keyGroups.first();
        this.partBits = parts.hashBits();
        this.counts = new long[keyGroups.count() >> partBits];
    }

    /** Counts what a file has of some key groups. */
    static KeyGroupCounts of(LevelFile file, KeyGroups keyGroups, KeyGroupParts parts)
            throws IOException {
        KeyGroupCounts made = new KeyGroupCounts(keyGroups, parts);
        if (file.info().sizeBytes() <= READ_BYTES) {
            made.read(file, keyGroups);
        } else {
            made.estimate(file);
        }
        return made;
    }

    private void read(LevelFile file, KeyGroups keyGroups) throws IOException {
        long[] entries = new long[LevelFile.MAX_PAGE_ENTRIES];
        try (EntryCursor cursor = file.cursor(keyGroups.first(), keyGroups.end())) {
            for (int n = cursor.next(entries); n > 0; n = cursor.next(entries)) {
                add(entries, n);
            }
        }
    }

    private void estimate(LevelFile file) {
        double before = file.entriesBefore(first);
        for (int i = 0; i < counts.length; i++) {
            double after = file.entriesBefore(first + ((i + 1) << partBits));
            counts[i] = Math.round(after - before);
            before = after;
        }
    }

    /** Counts the first {@code n} of the entries, all in the filter's key groups. */
    void add(long[] entries, int n) {
        for (int i = 0; i < n; i++) {
            counts[(Entries.keyGroup(entries[i]) - first) >> partBits]++;
        }
    }

    /**
     * @param group index of a key group that buffers tell apart, see {@link KeyGroupParts#hashBits}
     */
    long of(int group) {
        return counts[group];
    }
}
