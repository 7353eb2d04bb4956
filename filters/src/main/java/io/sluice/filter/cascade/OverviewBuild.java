/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/**
 * An {@link Overview} under construction. A background task adds what is there already. What the
 * owner adds meanwhile goes to a log, which the task reads too. So neither waits for the other, and
 * only one thread at a time changes the overview: first the task, then the owner.
 */
final class OverviewBuild {

    private static final int PIECE = 1 << 12;

    private final Supplier<Overview> memory;
    private final CascadeSnapshot contents;
    private final long reserved;

    /** Null until there is memory for it. */
    private volatile Overview overview;

    /** Full pieces of the log, and those that were read. */
    private final Queue<long[]> written = new ConcurrentLinkedQueue<>();

    private final Queue<long[]> read = new ConcurrentLinkedQueue<>();

    /** The piece that the owner is writing. */
    private long[] piece = new long[PIECE];

    private int length;

    /**
     * @param memory makes an empty overview; the task calls it
     * @param contents everything that was added before
     * @param reserved bytes that are reserved for it
     */
    OverviewBuild(Supplier<Overview> memory, CascadeSnapshot contents, long reserved) {
        this.memory = memory;
        this.contents = contents;
        this.reserved = reserved;
    }

    /**
     * Makes the empty overview; called by the task.
     *
     * @return false if there is no memory for it; an overview is optional
     */
    boolean begin() {
        try {
            overview = memory.get();
            return true;
        } catch (OutOfMemoryError e) {
            return false;
        }
    }

    long reserved() {
        return reserved;
    }

    /** Gives back the memory of an unfinished overview, once the task has ended. */
    void release() {
        Overview made = overview;
        if (made != null) {
            made.release();
        }
    }

    /** Adds an entry; called by the owner. */
    void insert(long entry) {
        piece[length++] = entry;
        if (length == PIECE) {
            written.add(piece);
            long[] used = read.poll();
            piece = used == null ? new long[PIECE] : used;
            length = 0;
        }
    }

    /** What the task has to add. */
    CascadeSnapshot contents() {
        return contents;
    }

    /** Adds entries, and what the owner has added meanwhile; called by the task. */
    void addAll(long[] entries, int count) {
        Overview made = overview;
        for (int i = 0; i < count; i++) {
            made.insert(entries[i]);
        }
        addWritten();
    }

    /** Adds what the owner has added; called by the task. */
    void addWritten() {
        Overview made = overview;
        for (long[] next = written.poll(); next != null; next = written.poll()) {
            for (long entry : next) {
                made.insert(entry);
            }
            read.add(next);
        }
    }

    /** The complete overview, once the task has ended; called by the owner. */
    Overview finish() {
        addWritten();
        Overview made = overview;
        for (int i = 0; i < length; i++) {
            made.insert(piece[i]);
        }
        length = 0;
        return made;
    }

    long sizeInBytes() {
        Overview made = overview;
        return made == null ? 0 : made.sizeInBytes();
    }
}
