/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.ArrayList;
import java.util.List;

/**
 * All that a filter holds at one moment except its active buffer: frozen buffers and, older than
 * those, level files. Never edited: a change makes the next version. A reader pins a version, and
 * the version pins its buffers and files. Pins are guarded by the {@link Catalog}.
 *
 * <p>Both lists are newest first.
 */
final class Version {

    private final List<FrozenBuffer> frozen;
    private final List<FileSection> files;
    private int pins;

    Version(List<FrozenBuffer> frozen, List<FileSection> files) {
        this.frozen = List.copyOf(frozen);
        this.files = List.copyOf(files);
    }

    List<FrozenBuffer> frozen() {
        return frozen;
    }

    List<FileSection> files() {
        return files;
    }

    /** With a buffer that is newer than all. */
    Version with(FrozenBuffer buffer) {
        List<FrozenBuffer> more = new ArrayList<>();
        more.add(buffer);
        more.addAll(frozen);
        return new Version(more, files);
    }

    /** With the oldest frozen buffer replaced by its level file. */
    Version withOldestFrozenWritten() {
        int oldest = frozen.size() - 1;
        List<FileSection> more = new ArrayList<>();
        more.add(frozen.get(oldest).file());
        more.addAll(files);
        return new Version(frozen.subList(0, oldest), more);
    }

    /** With some neighbouring files replaced by what a merge has made of them, perhaps nothing. */
    Version withMerged(List<FileSection> inputs, List<FileSection> output) {
        int at = files.indexOf(inputs.get(0));
        List<FileSection> changed = new ArrayList<>(files.subList(0, at));
        changed.addAll(output);
        changed.addAll(files.subList(at + inputs.size(), files.size()));
        return new Version(frozen, changed);
    }

    /** Whether a merge of these files may still replace them. */
    boolean holds(List<FileSection> inputs) {
        int at = files.indexOf(inputs.get(0));
        return at >= 0
                && at + inputs.size() <= files.size()
                && files.subList(at, at + inputs.size()).equals(inputs);
    }

    /** Without what has expired at a time. */
    Version without(TimeBuckets buckets, long now) {
        return new Version(
                frozen.stream().filter(f -> buckets.expiryOf(f.bucketEnd()) > now).toList(),
                files.stream().filter(f -> buckets.expiryOf(f.bucketEnd()) > now).toList());
    }

    /** The earliest time at which something expires. */
    long nextExpiry(TimeBuckets buckets) {
        long next = TimeBuckets.NEVER;
        for (FrozenBuffer buffer : frozen) {
            next = Math.min(next, buckets.expiryOf(buffer.bucketEnd()));
        }
        for (FileSection file : files) {
            next = Math.min(next, buckets.expiryOf(file.bucketEnd()));
        }
        return next;
    }

    /** The latest end of a time bucket, among those that end. */
    long lastBucketEnd() {
        return files.stream()
                .mapToLong(FileSection::bucketEnd)
                .filter(end -> end != TimeBuckets.NEVER)
                .max()
                .orElse(Long.MIN_VALUE);
    }

    /** Entries, tombstones and copies included. */
    long entries() {
        return frozen.stream().mapToLong(buffer -> buffer.buffer().size()).sum()
                + files.stream().mapToLong(FileSection::entries).sum();
    }

    int size() {
        return frozen.size() + files.size();
    }

    void pin() {
        if (pins++ == 0) {
            frozen.forEach(FrozenBuffer::addReader);
            files.forEach(file -> file.stored().pin());
        }
    }

    /** Returns whether it has no more readers: then its buffers and files have to be unpinned. */
    boolean unpin() {
        return --pins == 0;
    }
}
