/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.storage.Directory;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A filter at one moment, immutable, whatever happens to the filter afterwards: merges go on, the
 * filter may even be closed. Its files are not deleted before it is closed; but if the directory is
 * opened again, those go that the filter's last list of files does not name.
 *
 * <p>{@link #prepare} first, then {@link #files} and {@link #manifest}: {@link
 * CascadeFilter#restore} takes the manifest and copies of the files, side by side under their
 * names. A file has the same name and content in all snapshots that it is part of, and no other
 * file ever has that name, so a file that was copied once need not be copied again.
 *
 * <p>Usable from any thread, one at a time.
 */
public final class CascadeSnapshot implements Closeable {

    private final Directory directory;
    private final Catalog catalog;
    private final Maintenance maintenance;
    private final Version version;
    private final CascadeOptions options;
    private final long time;
    private final double bound;

    /** Newest first; null until prepared. */
    private List<FileSection> sections;

    private boolean closed;

    CascadeSnapshot(
            Directory directory,
            Catalog catalog,
            Maintenance maintenance,
            Version version,
            CascadeOptions options,
            long time,
            double bound) {
        this.directory = directory;
        this.catalog = catalog;
        this.maintenance = maintenance;
        this.version = version;
        this.options = options;
        this.time = time;
        this.bound = bound;
    }

    /** A level file that the snapshot needs. */
    public static final class File {

        private final Directory directory;
        private final String name;
        private final long sizeBytes;

        private File(Directory directory, String name, long sizeBytes) {
            this.directory = directory;
            this.name = name;
            this.sizeBytes = sizeBytes;
        }

        /** The name that a restore looks for; no other file, of any filter, ever has it. */
        public String name() {
            return name;
        }

        public long sizeBytes() {
            return sizeBytes;
        }

        /** Reads the file from its beginning. */
        public InputStream open() throws IOException {
            return new FileInput(directory.open(name));
        }
    }

    /**
     * Writes what was only in memory when the snapshot was taken, unless that has happened already.
     * Takes as long as writing a buffer does; may be called by any thread, and again after an
     * error.
     *
     * @throws IOException if writing fails, or the filter was closed before
     */
    public void prepare() throws IOException {
        if (sections != null) {
            return;
        }
        checkOpen();
        boolean filterIsOpen = catalog.begin();
        try {
            for (int i = version.frozen().size() - 1; i >= 0; i--) {
                FrozenBuffer buffer = version.frozen().get(i);
                if (filterIsOpen && catalog.claimOrAwait(buffer)) {
                    maintenance.write(buffer);
                }
                if (catalog.fileOf(buffer) == null) {
                    throw new IOException(
                            "the filter was closed before its snapshot was prepared: some entries"
                                    + " were only in its memory");
                }
            }
        } finally {
            if (filterIsOpen) {
                catalog.end();
            }
        }
        List<FileSection> all = new ArrayList<>();
        version.frozen().forEach(buffer -> all.add(catalog.fileOf(buffer)));
        all.addAll(version.files());
        sections = List.copyOf(all);
    }

    /**
     * All files of the snapshot, newest first.
     *
     * @throws IllegalStateException before {@link #prepare}
     */
    public List<File> files() {
        Map<String, File> files = new LinkedHashMap<>();
        for (FileSection section : prepared()) {
            String name = section.info().name();
            files.putIfAbsent(name, new File(directory, name, section.info().sizeBytes()));
        }
        return List.copyOf(files.values());
    }

    /**
     * What a restore needs in addition to the files: versioned and with a checksum.
     *
     * @throws IllegalStateException before {@link #prepare}
     */
    public byte[] manifest() {
        return manifest(options, time, bound, prepared()).toBytes();
    }

    static Manifest manifest(
            CascadeOptions options, long time, double bound, List<FileSection> sections) {
        List<Manifest.Listed> listed = new ArrayList<>();
        for (FileSection section : sections) {
            listed.add(
                    new Manifest.Listed(section.info(), section.keyGroups(), section.bucketEnd()));
        }
        return new Manifest(options.keyGroups(), options.parts(), time, bound, listed);
    }

    /** How key groups are divided. */
    KeyGroupParts parts() {
        return options.parts();
    }

    /** The sections, newest first; for scans. */
    List<FileSection> prepared() {
        checkOpen();
        if (sections == null) {
            throw new IllegalStateException("prepare() has to be called first");
        }
        return sections;
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the snapshot is closed");
        }
    }

    /** Releases the files: those that nothing else needs are deleted. Idempotent. */
    @Override
    public void close() throws IOException {
        if (!closed) {
            closed = true;
            catalog.unpinContents(version);
            maintenance.sweepSoon();
        }
    }
}
