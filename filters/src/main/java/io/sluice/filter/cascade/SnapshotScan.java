/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.cascade.file.Entries;
import io.sluice.filter.cascade.file.EntryCursor;
import io.sluice.filter.cascade.file.EntryMerge;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The entries of a snapshot as callers know them, without tombstones and copies; closing it closes
 * the snapshot.
 */
final class SnapshotScan implements EntryCursor {

    private static final EntryCursor EMPTY =
            new EntryCursor() {
                @Override
                public int next(long[] into) {
                    return 0;
                }

                @Override
                public int hashBits() {
                    return Entries.MAX_HASH_BITS;
                }
            };

    private final CascadeSnapshot snapshot;
    private final KeyGroupParts parts;
    private final List<EntryCursor> files;
    private final EntryCursor merged;

    private SnapshotScan(CascadeSnapshot snapshot, List<EntryCursor> files) {
        this.snapshot = snapshot;
        this.parts = snapshot.parts();
        this.files = files;
        this.merged = files.isEmpty() ? EMPTY : EntryMerge.of(files, true);
    }

    /** Takes over the snapshot. */
    static EntryCursor of(CascadeSnapshot snapshot) throws IOException {
        List<EntryCursor> files = new ArrayList<>();
        try {
            snapshot.prepare();
            for (FileSection section : snapshot.prepared()) {
                files.add(LevelFiles.cursor(section));
            }
            return new SnapshotScan(snapshot, files);
        } catch (IOException | RuntimeException e) {
            try {
                LevelFiles.close(files);
                snapshot.close();
            } catch (IOException closing) {
                e.addSuppressed(closing);
            }
            throw e;
        }
    }

    @Override
    public int next(long[] into) throws IOException {
        int count = merged.next(into);
        for (int i = 0; i < count; i++) {
            into[i] = parts.whole(into[i]);
        }
        return count;
    }

    @Override
    public int hashBits() {
        return merged.hashBits();
    }

    @Override
    public void close() throws IOException {
        try {
            LevelFiles.close(files);
        } finally {
            snapshot.close();
        }
    }
}
