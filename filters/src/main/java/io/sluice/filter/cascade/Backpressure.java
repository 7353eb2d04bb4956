/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * What the owner does when the background falls behind: it is delayed a little at each interval, to
 * avoid one long wait, and if that is not enough it waits for the next buffer.
 *
 * <p>Used only by the owner.
 */
final class Backpressure {

    /** Files beyond the target that cause no delay; half are for those that wait to be named. */
    private static final int EXCESS_FILES = 4 * MergePlanner.PATIENCE;

    /** Delay of an interval for each file too many, and the most in all. */
    private static final long DELAY_NANOS = 500_000;

    private static final long MAX_DELAY_NANOS = 5_000_000;

    private final BufferPool buffers;
    private final MergeSchedule schedule;
    private final Catalog catalog;
    private final Maintenance maintenance;
    private final Stalls stalls = new Stalls();

    /** Files beyond the target that are tolerated: those of a restore, until they are merged. */
    private int tolerated = Integer.MAX_VALUE;

    private int excessFiles;

    Backpressure(CascadeStore store) {
        this.buffers = store.buffers();
        this.schedule = store.schedule();
        this.catalog = store.catalog();
        this.maintenance = store.maintenance();
    }

    /** Counts the files of another version from now on. */
    void look(Version version) {
        int excess = schedule.excess(version);
        tolerated = Math.max(EXCESS_FILES, Math.min(tolerated, excess));
        excessFiles = excess - tolerated;
    }

    /** Gives the background time, if it is behind. */
    void delayIfBehind(EntryBuffer active) {
        boolean bufferIsMissing =
                active.size() > active.room() && !buffers.hasReady(active.hashBits());
        int parts = Math.max(0, excessFiles) + (bufferIsMissing ? 2 : 0);
        if (parts > 0) {
            stalls.delay(Math.min(MAX_DELAY_NANOS, parts * DELAY_NANOS));
        }
    }

    /**
     * Waits until a full-sized buffer is ready; writes one itself if no other thread does.
     *
     * @param refresh releases what the background has replaced
     */
    EntryBuffer awaitBuffer(int hashBits, Runnable refresh) {
        EntryBuffer next = buffers.take(hashBits);
        if (next != null) {
            return next;
        }
        long begin = System.nanoTime();
        try {
            while (next == null) {
                refresh.run();
                maintenance.sweep();
                next = buffers.take(hashBits);
                if (next == null && !writeOrAwait()) {
                    next = buffers.takeAny(hashBits);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            stalls.add(System.nanoTime() - begin);
        }
        return next;
    }

    /**
     * Waits while too many small buffers are not written yet, before another one is taken; lends a
     * hand as well.
     *
     * @param refresh lets go of what the background has replaced
     */
    void awaitSmallBuffer(Runnable refresh) {
        if (!buffers.isCrowded()) {
            return;
        }
        long begin = System.nanoTime();
        try {
            do {
                refresh.run();
                maintenance.sweep();
            } while (buffers.isCrowded() && writeOrAwait());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            stalls.add(System.nanoTime() - begin);
        }
    }

    /** Writes the oldest buffer, or waits for those who write; false if there was nothing. */
    private boolean writeOrAwait() throws IOException {
        FrozenBuffer oldest = catalog.claimOldest();
        if (oldest == null) {
            return catalog.awaitWriting();
        }
        maintenance.write(oldest);
        return true;
    }

    Stalls stalls() {
        return stalls;
    }
}
