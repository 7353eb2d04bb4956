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
import java.util.function.Predicate;

/**
 * A filter at one moment, immutable, whatever happens to the filter afterwards: merges go on, the
 * filter may even be closed. Its files are not deleted before it is closed; but if the directory is
 * opened again, those go that the filter's last list of files does not name.
 *
 * <p>{@link #prepare} first, perhaps {@link #reuse}, then {@link #files} and {@link #manifest}:
 * {@link CascadeFilter#restore} takes the manifest and copies of the files, side by side under
 * their names. A file has the same name and content in all snapshots that it is part of, and no
 * other file ever has that name, so a file that was copied once need not be copied again.
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

    /** What a restore gets, newest first; null until prepared. */
    private List<Manifest.Listed> listed;

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

        /** Reads the file from its beginning; fails if it only {@link #reuse stands in}. */
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
        listed = sections.stream().map(CascadeSnapshot::listed).toList();
    }

    /**
     * Lets files that are stored already stand in for one that was merged from them, so that it
     * need not be stored as well: an entry is then stored about twice, however often it is merged.
     * Names at most {@value MergedFrom#MOST_SMALL_FILES} files, or more large ones, as long as
     * merges have left fewer: beyond that, files are given up for the merged one, most files for
     * fewest bytes first. After {@link #prepare}, before {@link #files} and {@link #manifest}; only
     * once.
     *
     * @param isStored whether a file of this name is stored, and will be as long as this snapshot
     *     may be restored
     */
    public void reuse(Predicate<String> isStored) {
        catalog.storeSnapshots();
        List<List<Manifest.Listed>> standIns = new ArrayList<>();
        int files = 0;
        long bytes = 0;
        for (FileSection section : prepared()) {
            List<Manifest.Listed> found =
                    isStored.test(section.info().name())
                            ? List.of()
                            : MergedFrom.standIns(section, isStored);
            standIns.add(found);
            files += Math.max(1, found.size());
            bytes += section.info().sizeBytes();
        }
        int most = MergedFrom.mostFiles(bytes);
        while (files > most) {
            int worst = mostFilesForABit(standIns);
            if (standIns.get(worst).size() <= 1) {
                break;
            }
            files -= standIns.get(worst).size() - 1;
            standIns.set(worst, List.of());
        }
        List<Manifest.Listed> all = new ArrayList<>();
        for (int i = 0; i < standIns.size(); i++) {
            FileSection section = sections.get(i);
            section.stored().setNamed(true);
            if (standIns.get(i).isEmpty()) {
                all.add(listed(section));
                // It is stored itself from now on.
                section.stored().setMergedFrom(List.of());
            } else {
                all.addAll(standIns.get(i));
            }
        }
        listed = List.copyOf(all);
        maintenance.startMergesSoon();
    }

    /** The section for which most files stand in, for its size. */
    private int mostFilesForABit(List<List<Manifest.Listed>> standIns) {
        int worst = 0;
        double most = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < standIns.size(); i++) {
            double files =
                    (double) (standIns.get(i).size() - 1) / sections.get(i).info().sizeBytes();
            if (files > most) {
                most = files;
                worst = i;
            }
        }
        return worst;
    }

    private static Manifest.Listed listed(FileSection section) {
        return new Manifest.Listed(section.info(), section.keyGroups(), section.bucketEnd());
    }

    /**
     * All files of the snapshot, newest first.
     *
     * @throws IllegalStateException before {@link #prepare}
     */
    public List<File> files() {
        Map<String, File> files = new LinkedHashMap<>();
        checkPrepared();
        for (Manifest.Listed file : listed) {
            String name = file.info().name();
            files.putIfAbsent(name, new File(directory, name, file.info().sizeBytes()));
        }
        return List.copyOf(files.values());
    }

    /**
     * What a restore needs in addition to the files: versioned and with a checksum.
     *
     * @throws IllegalStateException before {@link #prepare}
     */
    public byte[] manifest() {
        checkPrepared();
        return manifest(options, time, bound, listed).toBytes();
    }

    static Manifest manifestOf(
            CascadeOptions options, long time, double bound, List<FileSection> sections) {
        return manifest(
                options, time, bound, sections.stream().map(CascadeSnapshot::listed).toList());
    }

    private static Manifest manifest(
            CascadeOptions options, long time, double bound, List<Manifest.Listed> files) {
        return new Manifest(options.keyGroups(), options.parts(), time, bound, files);
    }

    /** How key groups are divided. */
    KeyGroupParts parts() {
        return options.parts();
    }

    /** The sections, newest first; for scans. */
    List<FileSection> prepared() {
        checkPrepared();
        return sections;
    }

    private void checkPrepared() {
        checkOpen();
        if (sections == null) {
            throw new IllegalStateException("prepare() has to be called first");
        }
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
