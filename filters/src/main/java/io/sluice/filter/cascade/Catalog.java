/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which version is current, what needs which buffers and files, and who writes or merges them: the
 * one place where the owner, background tasks and snapshots meet. A monitor: every method holds its
 * lock only for a few list operations, and none does I/O under it.
 *
 * <p>Files and buffers that nothing needs any more are collected here, and closed, deleted or
 * cleared by callers of {@link #takeReleasedFiles} and {@link #takeReleasedBuffers}, outside the
 * lock.
 */
final class Catalog {

    private final Reports reports = new Reports();
    private volatile boolean closed;

    /** Whether snapshots are stored, and reuse what earlier ones have stored. */
    private volatile boolean storesSnapshots;

    private Version current;

    /** Files that are inputs of a merge that runs, or waits for a thread. */
    private final Map<FileSection, Merge> busy = new HashMap<>();

    /**
     * Files that the durable manifest names: they are not deleted before a newer one is durable.
     */
    private List<StoredFile> durable = List.of();

    private final Releases releases = new Releases();

    /** Background tasks of this filter that run. */
    private int running;

    Catalog(Version first) {
        current = first;
        first.pin();
    }

    /** What background tasks say to the owner. */
    Reports reports() {
        return reports;
    }

    /** Whether background tasks should give up. */
    boolean isClosed() {
        return closed;
    }

    /**
     * The current version, pinned, in exchange for the owner's last one; clears the need for
     * attention.
     */
    synchronized Version refresh(Version last) {
        reports.clearAttention();
        current.pin();
        releases.unpin(last);
        return current;
    }

    /** Snapshots are stored from now on. */
    void storeSnapshots() {
        storesSnapshots = true;
    }

    boolean storesSnapshots() {
        return storesSnapshots;
    }

    /** The current version, pinned. */
    synchronized Version pinCurrent() {
        current.pin();
        return current;
    }

    synchronized void unpin(Version version) {
        releases.unpin(version);
    }

    /** Pins everything in the current version for a snapshot, which does not need the memory. */
    synchronized Version pinContents() {
        current.frozen().forEach(FrozenBuffer::pin);
        current.files().forEach(file -> file.stored().pin());
        return current;
    }

    /** Undoes {@link #pinContents}. */
    synchronized void unpinContents(Version version) {
        version.frozen().forEach(releases::unpin);
        version.files().forEach(file -> releases.unpin(file.stored()));
    }

    /** The level file of a buffer that was written. */
    synchronized FileSection fileOf(FrozenBuffer buffer) {
        return buffer.file();
    }

    synchronized void freeze(FrozenBuffer buffer) {
        install(current.with(buffer));
    }

    /** Drops what has expired; returns how many files of it there were. */
    synchronized int expire(TimeBuckets buckets, long now) {
        Version before = current;
        Version next = before.without(buckets, now);
        if (next.size() < before.size()) {
            install(next);
        }
        return before.files().size() - next.files().size();
    }

    /** Makes time buckets of files that end at {@code from} or later end at {@code end}. */
    synchronized void endBuckets(long from, long end) {
        List<FileSection> files = new ArrayList<>();
        for (FileSection file : current.files()) {
            files.add(
                    file.bucketEnd() < from
                            ? file
                            : new FileSection(file.stored(), file.keyGroups(), end));
        }
        if (!files.equals(current.files())) {
            install(new Version(current.frozen(), files));
        }
    }

    /** The latest end of the time buckets of frozen buffers, among those that end. */
    synchronized long lastFrozenBucketEnd() {
        return current.frozen().stream()
                .mapToLong(FrozenBuffer::bucketEnd)
                .filter(end -> end != TimeBuckets.NEVER)
                .max()
                .orElse(Long.MIN_VALUE);
    }

    /** Drops the oldest file; returns how many entries it had. There must be one. */
    synchronized long forgetOldest() {
        List<FileSection> files = current.files();
        FileSection oldest = files.get(files.size() - 1);
        install(new Version(current.frozen(), files.subList(0, files.size() - 1)));
        return oldest.entries() - oldest.tombstones();
    }

    /**
     * The oldest frozen buffer that is not being written, for the caller to write; null if none.
     */
    synchronized FrozenBuffer claimOldest() {
        List<FrozenBuffer> frozen = current.frozen();
        for (int i = frozen.size() - 1; i >= 0; i--) {
            if (frozen.get(i).state() == FrozenBuffer.State.WAITING) {
                return claim(frozen.get(i));
            }
        }
        return null;
    }

    /**
     * Lets the caller write a buffer, unless another thread does: then waits for that.
     *
     * @return whether the caller has to write it; otherwise it is written
     */
    synchronized boolean claimOrAwait(FrozenBuffer buffer) throws IOException {
        while (buffer.state() == FrozenBuffer.State.BEING_WRITTEN) {
            await();
        }
        if (buffer.state() == FrozenBuffer.State.WRITTEN) {
            return false;
        }
        claim(buffer);
        return true;
    }

    private static FrozenBuffer claim(FrozenBuffer buffer) {
        buffer.state(FrozenBuffer.State.BEING_WRITTEN);
        return buffer;
    }

    /** Waits until no frozen buffer is being written; returns at once if none is. */
    synchronized boolean awaitWriting() throws IOException {
        boolean waited = false;
        while (current.frozen().stream()
                .anyMatch(buffer -> buffer.state() == FrozenBuffer.State.BEING_WRITTEN)) {
            waited = true;
            await();
        }
        return waited;
    }

    /** A claimed buffer is written: every version since holds the file in its place, in order. */
    synchronized void written(FrozenBuffer buffer, FileSection file) {
        file.stored().pin();
        buffer.written(file);
        Version next = current;
        while (!next.frozen().isEmpty()
                && next.frozen().get(next.frozen().size() - 1).state()
                        == FrozenBuffer.State.WRITTEN) {
            next = next.withOldestFrozenWritten();
        }
        if (next != current) {
            install(next);
        }
        releases.settle(buffer);
        notifyAll();
    }

    /** A claimed buffer could not be written; it may be claimed again. */
    synchronized void notWritten(FrozenBuffer buffer) {
        buffer.state(FrozenBuffer.State.WAITING);
        releases.settle(buffer);
        notifyAll();
    }

    /** Replaces what was merged, if it is still there; returns whether it was. */
    synchronized boolean merged(Merge merge, List<FileSection> output) {
        boolean wanted = !closed && current.holds(merge.inputs());
        if (wanted) {
            install(current.withMerged(merge.inputs(), output));
        }
        return wanted;
    }

    /** Plans merges of the current version and reserves their files. */
    synchronized List<Merge> plan(MergeSchedule schedule) {
        List<Merge> merges = closed ? List.of() : schedule.plan(current, busy::get);
        for (Merge merge : merges) {
            for (FileSection input : merge.inputs()) {
                busy.put(input, merge);
                input.stored().pin();
            }
        }
        return merges;
    }

    synchronized void endMerge(Merge merge) {
        for (FileSection input : merge.inputs()) {
            busy.remove(input);
            releases.unpin(input.stored());
        }
        notifyAll();
    }

    /** Pins the files of a manifest that is going to be written. */
    synchronized List<FileSection> beginCommit() {
        List<FileSection> files = current.files();
        files.forEach(file -> file.stored().pin());
        return files;
    }

    /**
     * The manifest with these files is durable. If that is not certain, the files of both the last
     * manifest and this one stay.
     */
    synchronized void endCommit(List<FileSection> files, boolean certain) {
        List<StoredFile> named = new ArrayList<>(files.stream().map(FileSection::stored).toList());
        if (certain) {
            durable.forEach(releases::unpin);
        } else {
            named.addAll(durable);
        }
        durable = named;
    }

    /** Whether the durable manifest names files that are not needed any more. */
    synchronized boolean holdsObsolete() {
        Set<StoredFile> live = new HashSet<>();
        current.files().forEach(file -> live.add(file.stored()));
        return !live.containsAll(durable);
    }

    /** Pins the files that have no summary, and returns them. */
    synchronized List<StoredFile> pinWithoutSummary() {
        List<StoredFile> files = new ArrayList<>();
        for (FileSection section : current.files()) {
            if (section.stored().file().summary() == null) {
                section.stored().pin();
                files.add(section.stored());
            }
        }
        return files;
    }

    synchronized void unpin(StoredFile file) {
        releases.unpin(file);
    }

    synchronized int mergesRunning() {
        return (int) busy.values().stream().distinct().count();
    }

    /** Counts a background task; false if the filter is closed. */
    synchronized boolean begin() {
        if (closed) {
            return false;
        }
        running++;
        return true;
    }

    synchronized void end() {
        running--;
        notifyAll();
    }

    /**
     * Stops background tasks. Returns when the running ones have ended, even if interrupted,
     * because the memory that they use is given back next. They give up soon.
     */
    synchronized void close() {
        closed = true;
        reports.callAttention();
        boolean interrupted = false;
        while (running > 0) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** All files that may be open. */
    synchronized Set<StoredFile> allFiles() {
        Set<StoredFile> files = new HashSet<>();
        current.files().forEach(file -> files.add(file.stored()));
        files.addAll(durable);
        files.addAll(releases.files());
        return files;
    }

    /** Releases the current version. */
    synchronized void releaseCurrent() {
        releases.unpin(current);
        current = new Version(List.of(), List.of());
        current.pin();
    }

    synchronized List<StoredFile> takeReleasedFiles() {
        return releases.takeFiles();
    }

    synchronized List<EntryBuffer> takeReleasedBuffers() {
        return releases.takeBuffers();
    }

    synchronized boolean hasReleased() {
        return !releases.isEmpty();
    }

    private void install(Version next) {
        next.pin();
        releases.unpin(current);
        current = next;
        reports.callAttention();
    }

    /** Callers call this in a loop. */
    @SuppressWarnings("WaitNotInLoop")
    private void await() throws IOException {
        try {
            wait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted =
                    new InterruptedIOException("interrupted while a level file is written");
            interrupted.initCause(e);
            throw interrupted;
        }
    }
}
