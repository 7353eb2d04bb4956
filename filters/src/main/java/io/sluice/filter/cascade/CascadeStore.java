/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.storage.Directory;
import io.sluice.filter.storage.DirectoryLock;
import java.io.Closeable;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

/**
 * What is behind an open filter: its directory, checked and cleaned up, and everything that works
 * on it. Made by the owner; each part says which threads may use it.
 */
final class CascadeStore {

    private static final SecureRandom STORES = new SecureRandom();

    private final Directory directory;
    private final CascadeOptions options;
    private final CascadeResources resources;
    private final DirectoryLock lock;
    private final ManifestStore manifests;
    private final MergeSchedule schedule;
    private final BufferPool buffers;
    private final WorkCounters counters = new WorkCounters();

    /** Set once the level files are open. */
    private Catalog catalog;

    private Maintenance maintenance;
    private boolean closed;

    private CascadeStore(
            Directory directory,
            CascadeOptions options,
            CascadeResources resources,
            DirectoryLock lock,
            ManifestStore manifests) {
        this.directory = directory;
        this.options = options;
        this.resources = resources;
        this.lock = lock;
        this.manifests = manifests;
        this.schedule = new MergeSchedule(options);
        this.buffers = new BufferPool(options);
    }

    /** What the opening found. */
    private interface Found {
        Manifest manifest(ManifestStore manifests) throws IOException;
    }

    /** Finds what was durable, and removes what a crash has left behind. */
    static CascadeStore open(Directory directory, CascadeOptions options) throws IOException {
        CascadeStore store =
                open(
                        directory,
                        options,
                        manifests ->
                                manifests
                                        .read()
                                        .orElse(
                                                new Manifest(
                                                        options.keyGroups(),
                                                        options.parts(),
                                                        Manifest.NO_TIME,
                                                        0,
                                                        List.of())));
        store.catalog.endCommit(store.catalog.beginCommit(), true);
        return store;
    }

    /** Takes files that are in the directory. */
    static CascadeStore restore(
            Directory directory, CascadeOptions options, List<Manifest> restored)
            throws IOException {
        Manifest combined = RestoredFiles.combine(restored, options);
        CascadeStore store = open(directory, options, manifests -> combined);
        if (options.syncPolicy() != SyncPolicy.NEVER) {
            try {
                store.maintenance.commit();
            } catch (IOException | RuntimeException e) {
                store.abandon(e);
                throw e;
            }
        }
        return store;
    }

    /**
     * @param wanted divides key groups as it would if there were no entries yet
     */
    private static CascadeStore open(Directory directory, CascadeOptions wanted, Found found)
            throws IOException {
        List<Closeable> toClose = new ArrayList<>();
        try {
            DirectoryLock lock = directory.lock();
            toClose.add(lock);
            boolean syncs = wanted.syncPolicy() != SyncPolicy.NEVER;
            ManifestStore manifests = ManifestStore.open(directory, syncs);
            Manifest manifest = found.manifest(manifests);
            CascadeOptions options = wanted.with(manifest.parts());
            List<String> named = manifest.files().stream().map(f -> f.info().name()).toList();
            ManifestStore.deleteLeftovers(directory, named);
            manifests.deleteOlder();
            CascadeResources resources = options.resources().orElseGet(options::newResources);
            if (options.resources().isEmpty()) {
                toClose.add(resources::close);
            }
            CascadeStore store = new CascadeStore(directory, options, resources, lock, manifests);
            store.openFiles(manifest, toClose);
            return store;
        } catch (IOException | RuntimeException e) {
            closeAll(toClose, e);
            throw e;
        }
    }

    private static void closeAll(List<Closeable> opened, Exception cause) {
        for (int i = opened.size() - 1; i >= 0; i--) {
            try {
                opened.get(i).close();
            } catch (IOException e) {
                cause.addSuppressed(e);
            }
        }
    }

    private void openFiles(Manifest manifest, List<Closeable> toClose) throws IOException {
        Catalog[] made = new Catalog[1];
        LevelFiles files =
                new LevelFiles(
                        directory,
                        options,
                        resources.pageCache(),
                        STORES.nextLong(),
                        () -> made[0].isClosed());
        List<FileSection> sections =
                RestoredFiles.open(manifest, options.keyGroups(), files, toClose);
        catalog = new Catalog(new Version(List.of(), sections));
        made[0] = catalog;
        maintenance =
                new Maintenance(
                        options,
                        resources,
                        catalog,
                        schedule,
                        buffers,
                        files,
                        manifests,
                        counters,
                        manifest.time(),
                        manifest.bound());
    }

    /** Gives up after a failure; further failures are added to it. */
    private void abandon(Exception cause) {
        try {
            release();
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    CascadeOptions options() {
        return options;
    }

    Directory directory() {
        return directory;
    }

    Catalog catalog() {
        return catalog;
    }

    Maintenance maintenance() {
        return maintenance;
    }

    MergeSchedule schedule() {
        return schedule;
    }

    BufferPool buffers() {
        return buffers;
    }

    WorkCounters counters() {
        return counters;
    }

    CascadeResources resources() {
        return resources;
    }

    /** Everything that is held now except the active buffer, pinned. */
    CascadeSnapshot snapshot(long time) {
        return new CascadeSnapshot(
                directory,
                catalog,
                maintenance,
                catalog.pinContents(),
                options,
                time,
                maintenance.bound());
    }

    boolean isClosed() {
        return closed;
    }

    /** Ends background work, closes all files and releases the directory. Idempotent. */
    void release() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        // First: until the background is at rest, it opens files.
        catalog.close();
        List<Closeable> parts = new ArrayList<>();
        for (StoredFile file : catalog.allFiles()) {
            parts.add(file.file());
        }
        parts.add(catalog::releaseCurrent);
        parts.add(maintenance::sweep);
        parts.add(buffers::close);
        if (options.resources().isEmpty()) {
            parts.add(resources::close);
        }
        parts.add(lock);
        IOException failure = null;
        for (Closeable part : parts) {
            try {
                part.close();
            } catch (IOException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
