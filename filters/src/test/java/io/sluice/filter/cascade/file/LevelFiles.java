/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.storage.Directory;
import java.io.IOException;
import java.util.Arrays;

/** Writes and reads whole files, and knows what they should say. */
final class LevelFiles {

    private LevelFiles() {}

    static LevelFileInfo write(
            Directory directory, String name, long[] entries, LevelFileOptions options)
            throws IOException {
        try (LevelFileWriter writer = LevelFileWriter.create(directory, name, options)) {
            writer.add(entries, 0, entries.length);
            return writer.finish(true);
        }
    }

    /** Writes a file and opens it with what the writer knows. */
    static LevelFile writeAndOpen(
            Directory directory,
            String name,
            long[] entries,
            LevelFileOptions options,
            PageCache cache)
            throws IOException {
        try (LevelFileWriter writer = LevelFileWriter.create(directory, name, options)) {
            writer.add(entries, 0, entries.length);
            writer.finish(true);
            return writer.open(cache);
        }
    }

    /** All that is left of a cursor, which is closed. */
    static long[] readAll(EntryCursor cursor, int batch) throws IOException {
        long[] all = new long[16];
        int count = 0;
        long[] into = new long[batch];
        try (cursor) {
            for (int n = cursor.next(into); n > 0; n = cursor.next(into)) {
                all = count + n > all.length ? Arrays.copyOf(all, 2 * (count + n)) : all;
                System.arraycopy(into, 0, all, count, n);
                count += n;
            }
        }
        return Arrays.copyOf(all, count);
    }

    /** What a file of these entries says about a key. */
    static int answer(long[] entries, long asked, int hashBits) {
        long key = asked & Entries.mask(hashBits) & ~Entries.TOMBSTONE;
        if (Arrays.binarySearch(entries, key) >= 0) {
            return LevelFile.PRESENT;
        }
        boolean removed = Arrays.binarySearch(entries, key | Entries.TOMBSTONE) >= 0;
        return removed ? LevelFile.TOMBSTONE : LevelFile.ABSENT;
    }
}
