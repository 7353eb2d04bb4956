/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.storage.Directory;
import io.sluice.filter.storage.ReadableFile;
import io.sluice.filter.storage.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Makes lists of files durable, and finds the last one. Each is a file of its own; the one with the
 * highest number counts. It is written under a temporary name, synced, renamed, and the directory
 * synced: before that, so that all files that it names are found after a crash, and after it. Older
 * ones are deleted afterwards.
 *
 * <p>A crash leaves the last list or the one before, whole. So a damaged list was damaged later;
 * the error names it. Falling back to an older one would forget entries that were promised to be
 * durable.
 *
 * <p>Not thread-safe: commits come one after the other.
 */
final class ManifestStore {

    private static final int MAX_BYTES = 1 << 26;

    private final Directory directory;
    private final boolean syncs;

    /** Number of the last list that was written, or begun. */
    private long last;

    private ManifestStore(Directory directory, boolean syncs, long last) {
        this.directory = directory;
        this.syncs = syncs;
        this.last = last;
    }

    /** Continues after the last list in a directory. */
    static ManifestStore open(Directory directory, boolean syncs) throws IOException {
        return new ManifestStore(directory, syncs, lastNumber(directory).orElse(0L));
    }

    private static Optional<Long> lastNumber(Directory directory) throws IOException {
        return directory.list().stream()
                .flatMap(name -> CascadeFileNames.manifestNumber(name).stream())
                .max(Long::compare);
    }

    /** The last list; empty if there was none. */
    Optional<Manifest> read() throws IOException {
        return last == 0 ? Optional.empty() : Optional.of(read(CascadeFileNames.manifest(last)));
    }

    private Manifest read(String name) throws IOException {
        try (ReadableFile file = directory.open(name)) {
            long length = file.length();
            if (length > MAX_BYTES) {
                throw new CorruptFilterException(name, 0, length + " bytes are too many");
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) length);
            int read = file.read(0, bytes);
            return Manifest.of(Arrays.copyOf(bytes.array(), read), name);
        }
    }

    /** Writes the next list. After an exception it may or may not be found later. */
    void write(Manifest manifest) throws IOException {
        String name = CascadeFileNames.manifest(++last);
        String temporary = name + CascadeFileNames.TEMPORARY;
        try (WritableFile file = directory.create(temporary)) {
            file.write(ByteBuffer.wrap(manifest.toBytes()));
            if (syncs) {
                file.sync();
            }
        }
        if (syncs) {
            directory.sync();
        }
        directory.rename(temporary, name);
        if (syncs) {
            directory.sync();
        }
    }

    /** Deletes all lists but the last, and what was left of failed attempts. */
    void deleteOlder() throws IOException {
        String keep = CascadeFileNames.manifest(last);
        for (String name : directory.list()) {
            boolean older = CascadeFileNames.manifestNumber(name).isPresent() && !name.equals(keep);
            if (older || CascadeFileNames.isTemporaryManifest(name)) {
                directory.delete(name);
            }
        }
    }

    /** Deletes level files that a crash has left behind: all that are not named. */
    static void deleteLeftovers(Directory directory, List<String> named) throws IOException {
        for (String name : directory.list()) {
            if (CascadeFileNames.isLevel(name) && !named.contains(name)) {
                deleteIfThere(directory, name);
            }
        }
    }

    /** A snapshot of the filter that had the directory before may delete its files until now. */
    private static void deleteIfThere(Directory directory, String name) throws IOException {
        try {
            directory.delete(name);
        } catch (NoSuchFileException e) {
            // It has done so.
        }
    }
}
