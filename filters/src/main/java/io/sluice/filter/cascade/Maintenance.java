/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.cascade.file.EntryCursor;
import io.sluice.filter.cascade.file.EntryMerge;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What happens in the background: buffers become level files, level files are merged, lists of
 * files are made durable, and what nothing needs is cleared or deleted. Sees only frozen buffers
 * and immutable files, and reports the results to the {@link Catalog}. An error goes to {@link
 * Reports}, for the owner's next operation; nothing is lost, and what failed is tried again at the
 * next occasion.
 *
 * <p>Thread-safe. Commits, one at a time, are guarded by this object's lock.
 */
final class Maintenance {

    /** A merge of more full buffers than this is long. */
    private static final int LONG_MERGE_BUFFERS = 8;

    /** Entries that are read for an overview at once. */
    private static final int OVERVIEW_BATCH = 1 << 12;

    /** Part of an overview that stays in a processor's own cache. */
    private static final int OVERVIEW_RANGE_BYTES = 1 << 21;

    /** Entries of a file that are read for a range at least, on average. */
    private static final int OVERVIEW_READ = 1 << 15;

    private final CascadeOptions options;
    private final CascadeResources resources;
    private final Catalog catalog;
    private final MergeSchedule schedule;
    private final BufferPool buffers;
    private final LevelFiles files;
    private final ManifestStore manifests;
    private final WorkCounters counters;

    /** The last time that the owner was told. */
    private volatile long time;

    /** The bound in force, as the owner last said. */
    private volatile double bound;

    /** Whether a task is scheduled that will commit what there is. */
    private final AtomicBoolean commitPending = new AtomicBoolean();

    private final AtomicBoolean sweepPending = new AtomicBoolean();

    Maintenance(
            CascadeOptions options,
            CascadeResources resources,
            Catalog catalog,
            MergeSchedule schedule,
            BufferPool buffers,
            LevelFiles files,
            ManifestStore manifests,
            WorkCounters counters,
            long time,
            double bound) {
        this.time = time;
        this.bound = bound;
        this.options = options;
        this.resources = resources;
        this.catalog = catalog;
        this.schedule = schedule;
        this.buffers = buffers;
        this.files = files;
        this.manifests = manifests;
        this.counters = counters;
    }

    /** Work that may fail. */
    private interface Task {
        void run() throws IOException;
    }

    long time() {
        return time;
    }

    void time(long millis) {
        time = millis;
    }

    double bound() {
        return bound;
    }

    void bound(double probability) {
        bound = probability;
    }

    /** Writes what is frozen, in the background. */
    void startWriting() {
        start(resources.writer(), this::writeFrozen, () -> {});
    }

    private void writeFrozen() throws IOException {
        for (FrozenBuffer buffer = catalog.claimOldest();
                buffer != null;
                buffer = catalog.isClosed() ? null : catalog.claimOldest()) {
            write(buffer);
        }
    }

    /** Begins all merges that are due. */
    void startMerges() {
        for (Merge merge : catalog.plan(schedule)) {
            boolean isLong = merge.entries() > LONG_MERGE_BUFFERS * schedule.bufferEntries();
            start(
                    resources.merges(isLong),
                    () -> merge(merge),
                    () -> {
                        catalog.endMerge(merge);
                        sweep();
                    });
        }
    }

    /** As {@link #startMerges}, by any thread, unless the filter is closed. */
    void startMergesSoon() {
        if (catalog.begin()) {
            try {
                startMerges();
            } finally {
                catalog.end();
            }
        }
    }

    /** Builds the summaries of files that were opened without one. */
    void startSummaries() {
        int bitsPerKey = options.summaryBitsPerKey();
        if (bitsPerKey == 0) {
            return;
        }
        for (StoredFile stored : catalog.pinWithoutSummary()) {
            start(
                    resources.merges(true),
                    () -> {
                        try {
                            catalog.reports().offer(stored, stored.file().scanSummary(bitsPerKey));
                        } finally {
                            catalog.unpin(stored);
                        }
                    },
                    () -> {
                        catalog.unpin(stored);
                        sweep();
                    });
        }
    }

    /** Builds an overview in the background, closes its contents, and then begins merges. */
    void startOverview(OverviewBuild build) {
        start(resources.overviews(), () -> run(build), build.contents()::close);
    }

    private void run(OverviewBuild build) throws IOException {
        boolean isComplete = false;
        try (CascadeSnapshot contents = build.contents()) {
            if (build.begin()) {
                contents.prepare();
                addAll(contents.prepared(), build);
                build.addWritten();
                isComplete = !catalog.isClosed();
            }
        } finally {
            catalog.reports().endOverview(isComplete);
            startMerges();
        }
    }

    /**
     * Adds everything, one range of key groups after the other, so that the lines of a range stay
     * in the processor's cache however many files there are.
     */
    private void addAll(List<FileSection> sections, OverviewBuild build) throws IOException {
        long entries = sections.stream().mapToLong(FileSection::entries).sum();
        long ranges =
                Math.min(
                        build.sizeInBytes() / OVERVIEW_RANGE_BYTES,
                        entries / OVERVIEW_READ / Math.max(1, sections.size()));
        long[] batch = new long[OVERVIEW_BATCH];
        for (KeyGroups range : options.keyGroups().split(ranges)) {
            for (FileSection section : sections) {
                if (!catalog.isClosed() && section.keyGroups().overlaps(range)) {
                    addAll(section, section.keyGroups().and(range), batch, build);
                }
            }
        }
    }

    private void addAll(FileSection section, KeyGroups range, long[] batch, OverviewBuild build)
            throws IOException {
        try (EntryCursor entries = section.stored().file().cursor(range.first(), range.end())) {
            int n = entries.next(batch);
            while (n > 0 && !catalog.isClosed()) {
                build.addAll(batch, n);
                n = entries.next(batch);
            }
        }
    }

    /** Clears and deletes what nothing needs, in the background. */
    void startSweep() {
        if (sweepPending.compareAndSet(false, true)) {
            // Every task sweeps at its end.
            start(resources.writer(), () -> sweepPending.set(false), this::sweep);
        }
    }

    /**
     * As {@link #startSweep}; at once if the filter is closed, because nothing else would. Counts
     * as background work, so that the filter's threads are not ended in between.
     */
    void sweepSoon() throws IOException {
        if (!catalog.begin()) {
            sweep();
            return;
        }
        try {
            startSweep();
        } finally {
            catalog.end();
        }
    }

    private void startCommit() {
        if (commitPending.compareAndSet(false, true)) {
            start(
                    resources.writer(),
                    () -> {
                        commitPending.set(false);
                        commit();
                    },
                    () -> {});
        }
    }

    /**
     * @param instead runs in place of the task if the filter is closed by then
     */
    private void start(Executor executor, Task task, Task instead) {
        try {
            executor.execute(() -> run(task, instead));
        } catch (RejectedExecutionException e) {
            throw new IllegalStateException(
                    "the filter's CascadeResources are closed: close filters first", e);
        }
    }

    private void run(Task task, Task instead) {
        boolean begun = catalog.begin();
        try {
            if (begun) {
                task.run();
                sweep();
            } else {
                instead.run();
            }
        } catch (IOException | RuntimeException | Error e) {
            catalog.reports().fail(e);
        } finally {
            if (begun) {
                catalog.end();
            }
        }
    }

    /** Writes a buffer that was claimed. */
    void write(FrozenBuffer buffer) throws IOException {
        FileSection file = null;
        try {
            KeyGroups all = options.keyGroups();
            EntryCursor entries = buffer.buffer().cursor(all.first(), all.end());
            long begin = System.nanoTime();
            Optional<StoredFile> stored = files.write(entries, buffer.hashBits(), Optional.empty());
            if (stored.isPresent()) {
                counters.flushed(stored.get().info(), System.nanoTime() - begin);
                stored.get().setNamed(!catalog.storesSnapshots());
                file = new FileSection(stored.get(), all, buffer.bucketEnd());
            }
        } finally {
            if (file == null) {
                catalog.notWritten(buffer);
            } else {
                catalog.written(buffer, file);
            }
        }
        startMerges();
        if (options.syncPolicy() == SyncPolicy.EVERY_FILE) {
            startCommit();
        }
    }

    private void merge(Merge merge) throws IOException {
        List<FileSection> output = new ArrayList<>();
        boolean installed = false;
        try {
            long begin = System.nanoTime();
            for (List<FileSection> part : merge.parts()) {
                Optional<StoredFile> stored = writeMerged(merge, part);
                stored.ifPresent(
                        file -> {
                            file.setMergedFrom(MergedFrom.inputsOf(merge));
                            file.setNamed(merge.isNamed());
                            output.add(new FileSection(file, merge.keyGroups(), merge.bucketEnd()));
                        });
                counters.merged(stored.map(StoredFile::info), System.nanoTime() - begin);
                begin = System.nanoTime();
            }
            installed = catalog.merged(merge, output);
        } finally {
            catalog.endMerge(merge);
            if (!installed) {
                files.deleteAll(output.stream().map(FileSection::stored).toList());
            }
        }
        if (installed) {
            startMerges();
            if (options.syncPolicy() == SyncPolicy.EVERY_FILE || catalog.holdsObsolete()) {
                startCommit();
            }
        }
    }

    /** Merges a part of the inputs, less what newer ones have removed. */
    private Optional<StoredFile> writeMerged(Merge merge, List<FileSection> part)
            throws IOException {
        List<EntryCursor> cursors = new ArrayList<>();
        try {
            for (FileSection newer : merge.inputs()) {
                if (newer.equals(part.get(0))) {
                    break;
                }
                if (newer.tombstones() > 0) {
                    cursors.add(EntryMerge.onlyTombstones(LevelFiles.cursor(newer)));
                }
            }
            for (FileSection input : part) {
                cursors.add(LevelFiles.cursor(input));
            }
            EntryCursor merged =
                    EntryMerge.of(cursors, merge.dropsTombstones() && merge.tombstones() > 0);
            return files.write(merged, merged.hashBits(), Optional.of(resources.writeLimit()));
        } finally {
            LevelFiles.close(cursors);
        }
    }

    /** Makes the present list of files durable. */
    synchronized void commit() throws IOException {
        List<FileSection> listed = catalog.beginCommit();
        boolean certain = false;
        try {
            manifests.write(CascadeSnapshot.manifestOf(options, time, bound, listed));
            certain = true;
        } finally {
            catalog.endCommit(listed, certain);
        }
        manifests.deleteOlder();
    }

    /** Clears and deletes what nothing needs any more. */
    void sweep() throws IOException {
        for (EntryBuffer buffer : catalog.takeReleasedBuffers()) {
            buffers.give(buffer);
        }
        files.deleteAll(catalog.takeReleasedFiles());
    }
}
