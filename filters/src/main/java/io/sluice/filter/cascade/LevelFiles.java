/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.cascade.file.EntryCursor;
import io.sluice.filter.cascade.file.LevelFile;
import io.sluice.filter.cascade.file.LevelFileInfo;
import io.sluice.filter.cascade.file.LevelFileOptions;
import io.sluice.filter.cascade.file.LevelFileWriter;
import io.sluice.filter.cascade.file.PageCache;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.storage.Directory;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** Writes, opens and deletes the level files of a filter. Thread-safe. */
final class LevelFiles {

    /** Entries that are read, and written, at once. */
    private static final int BATCH = 1 << 13;

    private final Directory directory;
    private final CascadeOptions options;
    private final PageCache pageCache;
    private final BooleanSupplier isClosed;

    /** What the names of new files begin with, and the number of the next. */
    private final long store;

    private final AtomicLong next = new AtomicLong();

    /**
     * @param store a random number, new at every opening
     * @param isClosed whether writers should give up
     */
    LevelFiles(
            Directory directory,
            CascadeOptions options,
            PageCache pageCache,
            long store,
            BooleanSupplier isClosed) {
        this.directory = directory;
        this.options = options;
        this.pageCache = pageCache;
        this.store = store;
        this.isClosed = isClosed;
    }

    StoredFile open(LevelFileInfo info) throws IOException {
        try {
            LevelFile file = LevelFile.open(directory, info, pageCache);
            try {
                return new StoredFile(
                        info, file, KeyGroupCounts.of(file, options.keyGroups(), options.parts()));
            } catch (IOException | RuntimeException e) {
                closeAfter(file, e);
                throw e;
            }
        } catch (NoSuchFileException e) {
            CorruptFilterException missing =
                    new CorruptFilterException(
                            info.name(), 0, "the file is missing, but the list of files names it");
            missing.initCause(e);
            throw missing;
        }
    }

    private static void closeAfter(LevelFile file, Exception failure) {
        try {
            file.close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    /**
     * Writes a file and opens it; leaves no file behind if that fails.
     *
     * @param limit that the bytes count against, if there is one
     * @return empty if there was no entry, or the filter was closed meanwhile
     */
    Optional<StoredFile> write(EntryCursor entries, int hashBits, Optional<WriteLimit> limit)
            throws IOException {
        String name = CascadeFileNames.level(store, next.getAndIncrement());
        LevelFileOptions how =
                new LevelFileOptions(hashBits, options.summaryBitsPerKey(), pageCache);
        long[] batch = new long[BATCH];
        KeyGroupCounts counts = new KeyGroupCounts(options.keyGroups(), options.parts());
        long paid = 0;
        long count = 0;
        try (LevelFileWriter writer = LevelFileWriter.create(directory, name, how)) {
            for (int n = entries.next(batch); n > 0; n = entries.next(batch)) {
                writer.add(batch, 0, n);
                counts.add(batch, n);
                count += n;
                if (isClosed.getAsBoolean()) {
                    return Optional.empty();
                }
                if (limit.isPresent()) {
                    limit.get().paid(writer.sizeInBytes() - paid, isClosed);
                    paid = writer.sizeInBytes();
                }
            }
            if (count == 0) {
                return Optional.empty();
            }
            LevelFileInfo info = writer.finish(options.syncPolicy() != SyncPolicy.NEVER);
            if (limit.isPresent()) {
                limit.get().paid(info.sizeBytes() - paid, isClosed);
            }
            return Optional.of(new StoredFile(info, writer.open(pageCache), counts));
        }
    }

    /** The entries of a section. */
    static EntryCursor cursor(FileSection section) throws IOException {
        KeyGroups keyGroups = section.keyGroups();
        return section.stored().file().cursor(keyGroups.first(), keyGroups.end());
    }

    /** Closes all; throws the first failure, with the others added to it. */
    static void close(List<EntryCursor> cursors) throws IOException {
        IOException failure = null;
        for (EntryCursor cursor : cursors) {
            try {
                cursor.close();
            } catch (IOException e) {
                failure = with(failure, e);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Closes and deletes files: all of them, whatever fails on the way. */
    void deleteAll(List<StoredFile> released) throws IOException {
        IOException failure = null;
        for (StoredFile file : released) {
            try {
                delete(file);
            } catch (IOException e) {
                failure = with(failure, e);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static IOException with(IOException first, IOException next) {
        if (first == null) {
            return next;
        }
        first.addSuppressed(next);
        return first;
    }

    /** Closes a file and deletes it. */
    void delete(StoredFile file) throws IOException {
        file.file().close();
        try {
            directory.delete(file.info().name());
        } catch (NoSuchFileException e) {
            // Once the filter is closed, the next one to open the directory may have deleted it
            // already.
            if (!isClosed.getAsBoolean()) {
                throw e;
            }
        }
    }
}
