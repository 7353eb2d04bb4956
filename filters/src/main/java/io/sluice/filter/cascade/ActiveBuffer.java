/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.FilterFullException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The buffer that entries are added to, and when it gives way to the next one: when it is full, a
 * snapshot is taken, or its time bucket has ended. Also the owner's other duties, which it looks
 * after once in a while: taking over what the background has done, throwing what failed there, and
 * waiting when it falls behind.
 *
 * <p>The owner's.
 */
final class ActiveBuffer {

    /** Operations between two looks at how the background does. */
    private static final int INTERVAL = 1 << 10;

    /** Files beyond the target that nobody is delayed for. */
    private static final int EXCESS_FILES = 2 * MergePlanner.PATIENCE;

    /** What an interval is delayed for each file too many, and at most. */
    private static final long DELAY_NANOS = 500_000;

    private static final long MAX_DELAY_NANOS = 5_000_000;

    /** The least part of a buffer that a new one is worth in an era that ends. */
    private static final int LEAST_PART = 8;

    private final CascadeStore store;
    private final CascadeOptions options;
    private final Catalog catalog;
    private final Maintenance maintenance;
    private final Older older;

    private EntryBuffer buffer;

    /** Operations until {@link #attend}, which is before the buffer can be more than full. */
    private int room;

    private Version version;
    private long time;

    /** No bucket ends before those that were there: a tombstone outlives what it hides. */
    private final long earliestBucketEnd;

    /** The earliest time at which something expires. */
    private long nextExpiry;

    private int excessFiles;
    private long expiredFiles;
    private long stalls;
    private long stallNanos;
    private long longestStallNanos;

    ActiveBuffer(CascadeStore store, Older older) {
        this.store = store;
        this.options = store.options();
        this.catalog = store.catalog();
        this.maintenance = store.maintenance();
        this.older = older;
        this.time = maintenance.time();
        this.version = catalog.pinCurrent();
        this.earliestBucketEnd = version.lastBucketEnd();
        look();
        use(nextBuffer(false));
        maintenance.startMerges();
        maintenance.startSummaries();
    }

    EntryBuffer buffer() {
        return buffer;
    }

    /** To be called before an addition. */
    void beforeAddition() {
        if (--room < 0 || catalog.needsAttention()) {
            attendBeforeAddition();
        }
    }

    /** To be called before a lookup. */
    void beforeLookup() {
        if (catalog.needsAttention()) {
            attend();
        }
    }

    /** To be called before several additions; returns how many, from 1 to {@code most}. */
    int makeRoom(int most) {
        beforeAddition();
        int additions = Math.min(most, buffer.room());
        room -= additions - 1;
        return additions;
    }

    /**
     * Sees to it that an entry can be added.
     *
     * @throws FilterFullException if the filter has outgrown its bits
     */
    void attendBeforeAddition() {
        attend();
        if (!options.timeBuckets().isEndless() && time == Manifest.NO_TIME) {
            throw new IllegalStateException(
                    "entries have a time to live: advanceTo has to be told the time first");
        }
        if (buffer.isFull()) {
            freeze(true);
        } else {
            delayIfBehind();
        }
        // This operation is the first.
        room = Math.min(INTERVAL, buffer.room()) - 1;
    }

    /** Takes over what the background has done, and throws what failed there. */
    void attend() {
        if (store.isClosed()) {
            throw new IllegalStateException("the filter is closed");
        }
        Throwable failure = catalog.takeFailure();
        if (failure instanceof IOException io) {
            throw new UncheckedIOException("background work of the filter failed", io);
        }
        if (failure != null) {
            throw new IllegalStateException("background work of the filter failed", failure);
        }
        if (catalog.needsAttention()) {
            refresh();
        }
    }

    private void refresh() {
        version = catalog.refresh(version);
        catalog.takeOffered().forEach((stored, summary) -> stored.file().installSummary(summary));
        look();
        if (catalog.hasReleased()) {
            maintenance.startSweep();
        }
    }

    private void look() {
        older.use(version);
        nextExpiry = version.nextExpiry(options.timeBuckets());
        excessFiles = store.schedule().excess(version) - EXCESS_FILES;
    }

    /** Adds an entry; returns whether it was not in the buffer. */
    boolean add(long entry, long position) {
        try {
            return buffer.add(position);
        } catch (FilterFullException e) {
            freezeCrowded(e);
            return buffer.add(buffer.position(entry));
        }
    }

    void addTombstone(long entry, long position) {
        try {
            buffer.addTombstone(position);
        } catch (FilterFullException e) {
            freezeCrowded(e);
            buffer.addTombstone(buffer.position(entry));
        }
    }

    /** Entries that are not uniform may find no room in a buffer that is not full. */
    private void freezeCrowded(FilterFullException cause) {
        if (buffer.size() == 0) {
            throw cause;
        }
        freeze(true);
        room = Math.min(room, buffer.room() - 1);
    }

    /** Freezes the buffer, if it holds anything. */
    void freezeForSnapshot() {
        if (buffer.size() > 0) {
            freeze(false);
        }
        if (catalog.needsAttention()) {
            refresh();
        }
    }

    private void freeze(boolean full) {
        EntryBuffer last = buffer;
        EntryBuffer next = nextBuffer(full);
        if (next != last && last.size() == 0) {
            store.buffers().give(last);
        } else if (next != last) {
            catalog.freeze(new FrozenBuffer(last));
        }
        use(next);
        refresh();
        maintenance.startWriting();
    }

    private void use(EntryBuffer next) {
        buffer = next;
        store.schedule().open(next);
        room = 0;
    }

    /**
     * The next buffer, of the era that has room.
     *
     * @param full whether it is worth waiting for, and room is needed; otherwise it may be a small
     *     one, or one that takes nothing
     */
    private EntryBuffer nextBuffer(boolean full) {
        Eras eras = options.eras();
        int era = era(eras);
        long left = eras.capacity(era) - entries(eras.hashBits(era));
        long least = Math.min(eras.capacity(era), store.schedule().bufferEntries()) / LEAST_PART;
        if (left <= least) {
            if (full || eras.hasAfter(era)) {
                era = eras.after(era);
                left = eras.capacity(era) - entries(eras.hashBits(era));
            } else {
                left = 0;
            }
        }
        int hashBits = eras.hashBits(era);
        EntryBuffer next = buffer;
        if (next == null || next.size() > 0 || next.hashBits() != hashBits) {
            next = full ? awaitBuffer(hashBits) : store.buffers().takeAny(hashBits);
        }
        next.begin(left, bucketEnd());
        return next;
    }

    /** The latest era that anything belongs to. */
    private int era(Eras eras) {
        int era = buffer == null ? 0 : eras.eraOf(buffer.hashBits());
        for (FrozenBuffer frozen : version.frozen()) {
            era = Math.max(era, eras.eraOf(frozen.hashBits()));
        }
        for (FileSlice file : version.files()) {
            era = Math.max(era, eras.eraOf(file.hashBits()));
        }
        return Math.max(0, era);
    }

    /**
     * Entries with so many bits that may be reported: without tombstones, and without what those
     * hide, which is as many if each was the removal of something there.
     */
    private long entries(int hashBits) {
        long entries = 0;
        if (buffer != null && buffer.hashBits() == hashBits) {
            entries += buffer.size() - 2L * buffer.tombstones();
        }
        for (FrozenBuffer frozen : version.frozen()) {
            if (frozen.hashBits() == hashBits) {
                entries += frozen.buffer().size() - 2L * frozen.buffer().tombstones();
            }
        }
        for (FileSlice file : version.files()) {
            if (file.hashBits() == hashBits) {
                entries += file.entries() - 2 * file.tombstones();
            }
        }
        return Math.max(0, entries);
    }

    private long bucketEnd() {
        return time == Manifest.NO_TIME
                ? TimeBuckets.NEVER
                : Math.max(earliestBucketEnd, options.timeBuckets().endOf(time));
    }

    /** Waits until a full-sized buffer is ready; lends a hand if nobody writes. */
    private EntryBuffer awaitBuffer(int hashBits) {
        EntryBuffer next = store.buffers().take(hashBits);
        if (next != null) {
            return next;
        }
        long begin = System.nanoTime();
        try {
            while (next == null) {
                refresh();
                maintenance.sweep();
                next = store.buffers().take(hashBits);
                if (next == null) {
                    FrozenBuffer oldest = catalog.claimOldest();
                    if (oldest != null) {
                        maintenance.write(oldest);
                    } else if (!catalog.awaitWriting()) {
                        next = store.buffers().takeAny(hashBits);
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            countStall(System.nanoTime() - begin);
        }
        return next;
    }

    /** Gives the background time, a little at each interval, before a long wait would be needed. */
    private void delayIfBehind() {
        boolean bufferIsMissing =
                buffer.size() > buffer.room() && !store.buffers().hasReady(buffer.hashBits());
        int files = Math.max(0, excessFiles);
        if (files > 0 || bufferIsMissing) {
            long begin = System.nanoTime();
            LockSupport.parkNanos(
                    Math.min(MAX_DELAY_NANOS, DELAY_NANOS * (files + (bufferIsMissing ? 2 : 0))));
            countStall(System.nanoTime() - begin);
        }
    }

    private void countStall(long nanos) {
        stalls++;
        stallNanos += nanos;
        longestStallNanos = Math.max(longestStallNanos, nanos);
    }

    /** Writes all that is in memory, and makes it durable. */
    void flush() throws IOException {
        attend();
        freezeForSnapshot();
        for (int i = version.frozen().size() - 1; i >= 0; i--) {
            FrozenBuffer frozen = version.frozen().get(i);
            if (catalog.claimOrAwait(frozen)) {
                maintenance.write(frozen);
            }
        }
        maintenance.commit();
        maintenance.sweep();
        attend();
    }

    /** Takes over a time, and what follows from it. */
    void advanceTo(long millis) {
        TimeBuckets buckets = options.timeBuckets();
        if (millis <= time && time != Manifest.NO_TIME) {
            return;
        }
        attend();
        long before = bucketEnd();
        time = millis;
        maintenance.time(millis);
        if (bucketEnd() != before) {
            freeze(false);
            maintenance.startMerges();
        }
        if (time >= nextExpiry) {
            expire(buckets);
        }
    }

    private void expire(TimeBuckets buckets) {
        expiredFiles += catalog.expire(buckets, time);
        refresh();
        maintenance.startMerges();
    }

    Version version() {
        return version;
    }

    long time() {
        return time;
    }

    long expiredFiles() {
        return expiredFiles;
    }

    long stalls() {
        return stalls;
    }

    long stallNanos() {
        return stallNanos;
    }

    long longestStallNanos() {
        return longestStallNanos;
    }

    /** Lets go of the version. */
    void close() {
        catalog.unpin(version);
        version = new Version(List.of(), List.of());
        older.use(version);
    }
}
