/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.annotation.Internal;
import io.sluice.filter.cascade.StoredCascade.StoredSection;
import io.sluice.filter.cascade.file.Entries;
import io.sluice.filter.cascade.file.EntryCursor;
import io.sluice.filter.cascade.file.EntryMerge;
import io.sluice.filter.cascade.file.LevelFile;
import io.sluice.filter.cascade.file.LevelFileInfo;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The entries that one key group of a {@link StoredCascade} holds, in ascending order: each key
 * once, without those that were removed. Unlike a scan of a filter this knows the time bucket of
 * each entry, and reads files wherever they are.
 *
 * <p>Cost: O(log k) for an entry of k files; 256 KiB for each file. Not thread-safe.
 */
@Internal
public final class StoredEntries implements Closeable {

    private final List<Input> inputs = new ArrayList<>();

    /** Those that have more, by the key of their next entry; of equal keys the newest first. */
    private final PriorityQueue<Input> heads =
            new PriorityQueue<>(
                    Comparator.comparingLong(Input::key).thenComparingInt(input -> input.age));

    private long entry;
    private long bucketEnd;

    private StoredEntries() {}

    /** Opens the level files of a stored filter. */
    @FunctionalInterface
    public interface Files {

        /**
         * Returns an open file, which the caller of {@link #of} closes after the entries.
         *
         * @throws IOException if it is not there or is another file
         */
        LevelFile open(LevelFileInfo info) throws IOException;
    }

    /**
     * Opens the files that have something of the key group.
     *
     * @param hashBits bits of a hash that each entry keeps: at most those of each file
     */
    public static StoredEntries of(StoredCascade filter, int keyGroup, int hashBits, Files files)
            throws IOException {
        StoredEntries entries = new StoredEntries();
        KeyGroups parts = new KeyGroupParts(filter.partsOfKeyGroup()).of(KeyGroups.of(keyGroup, 1));
        try {
            for (StoredSection section : filter.sections()) {
                KeyGroups held = new KeyGroups(section.firstPart(), section.endPart());
                if (held.overlaps(parts)) {
                    KeyGroups wanted = held.and(parts);
                    LevelFile file = files.open(section.file());
                    EntryCursor cursor =
                            EntryMerge.shortened(
                                    file.cursor(wanted.first(), wanted.end()), hashBits);
                    entries.add(new Input(cursor, entries.inputs.size(), section.bucketEnd()));
                }
            }
            return entries;
        } catch (IOException | RuntimeException e) {
            try {
                entries.close();
            } catch (IOException closing) {
                e.addSuppressed(closing);
            }
            throw e;
        }
    }

    private void add(Input input) throws IOException {
        inputs.add(input);
        if (input.advance()) {
            heads.add(input);
        }
    }

    /**
     * Goes to the next entry.
     *
     * @return false if there is none
     * @throws io.sluice.filter.format.CorruptFilterException if a file is damaged; its source is
     *     the name of the file
     */
    public boolean next() throws IOException {
        while (!heads.isEmpty()) {
            Input newest = heads.poll();
            long found = newest.entry();
            long key = newest.key();
            long end = newest.bucketEnd;
            putBack(newest);
            while (!heads.isEmpty() && heads.peek().key() == key) {
                putBack(heads.poll());
            }
            if (!Entries.isTombstone(found)) {
                entry = found;
                bucketEnd = end;
                return true;
            }
        }
        return false;
    }

    private void putBack(Input input) throws IOException {
        if (input.advance()) {
            heads.add(input);
        }
    }

    /** Returns the present entry: comparable with those of filters that divide key groups alike. */
    public long entry() {
        return entry;
    }

    /**
     * Returns the end of the time bucket of the present entry, in milliseconds; {@code
     * Long.MAX_VALUE} if it never expires.
     */
    public long bucketEnd() {
        return bucketEnd;
    }

    /** Gives back buffers; files stay open. */
    @Override
    public void close() throws IOException {
        LevelFiles.close(inputs.stream().map(input -> input.cursor).toList());
    }

    /** A section of a file, read in batches. */
    private static final class Input {
        private final EntryCursor cursor;

        /** 0 is the newest. */
        private final int age;

        private final long bucketEnd;
        private final long[] batch;

        /** Before the first entry. */
        private int at = -1;

        private int end;

        Input(EntryCursor cursor, int age, long bucketEnd) {
            this.cursor = cursor;
            this.age = age;
            this.bucketEnd = bucketEnd;
            this.batch = new long[cursor.batchLength()];
        }

        boolean advance() throws IOException {
            if (++at >= end) {
                at = 0;
                end = cursor.next(batch);
            }
            return at < end;
        }

        long entry() {
            return batch[at];
        }

        long key() {
            return batch[at] | Entries.TOMBSTONE;
        }
    }
}
