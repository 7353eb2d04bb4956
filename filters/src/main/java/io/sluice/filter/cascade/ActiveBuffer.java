/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.cascade.file.LevelFile;
import io.sluice.filter.memory.Touches;
import java.io.IOException;
import java.util.List;

/**
 * The buffer that entries are added to, and its change for the {@linkplain NextBuffer next one}:
 * when it is full, when a snapshot is taken, or when its time bucket has ended (see {@link
 * Expiry}). Between many additions it looks at the background: takes over what that has done, and
 * waits when it falls behind.
 *
 * <p>Used only by the owner.
 */
final class ActiveBuffer {

    /** Operations between two checks on the background. */
    private static final int INTERVAL = 1 << 10;

    /** Entries that wait for memory together. */
    private static final int LATER = 64;

    private final CascadeStore store;
    private final Catalog catalog;
    private final Reports reports;
    private final Maintenance maintenance;
    private final Overviews overviews;
    private final CurrentVersion current;
    private final NextBuffer nextBuffer;
    private final BucketClock clock;
    private final Backpressure backpressure;

    private EntryBuffer buffer;

    /** How often the buffer gave way to another. */
    private long freezes;

    /** Entries still to be added, and their positions; the buffer has room for them. */
    private final long[] laterEntries = new long[LATER];

    private final long[] laterPositions = new long[LATER];
    private int later;

    private final Touches touches = new Touches();

    /** Operations until the next look at the background; before then the buffer is not full. */
    private int room;

    ActiveBuffer(
            CascadeStore store,
            Overviews overviews,
            CurrentVersion current,
            BucketClock clock,
            Backpressure backpressure) {
        this.store = store;
        this.catalog = store.catalog();
        this.reports = catalog.reports();
        this.maintenance = store.maintenance();
        this.overviews = overviews;
        this.current = current;
        this.nextBuffer = new NextBuffer(store, current, backpressure);
        this.clock = clock;
        this.backpressure = backpressure;
        use(nextBuffer.after(null, false, clock.bucketEnd()));
        maintenance.startSummaries();
        overviews.buildIfDue(current.version(), clock.time(), 0);
        startMerges();
    }

    /**
     * Begins all merges that are due. While an overview is built they wait for its end, which
     * begins them: without one, every absent key asks all files.
     */
    void startMerges() {
        if (!overviews.isBuilding()) {
            maintenance.startMerges();
        }
    }

    /** The buffer, with all entries in it. */
    EntryBuffer buffer() {
        if (later > 0) {
            addLaterOnes();
        }
        return buffer;
    }

    /**
     * What the buffer says about an entry, counting those that wait to be added: {@link
     * LevelFile#ABSENT}, {@link LevelFile#PRESENT} or {@link LevelFile#TOMBSTONE}. They stay
     * waiting: scanning them costs less than the memory access that they wait for.
     */
    int find(long entry) {
        long position = buffer.position(entry);
        for (int i = 0; i < later; i++) {
            if (buffer.position(laterEntries[i]) == position) {
                return LevelFile.PRESENT;
            }
        }
        return buffer.find(position);
    }

    /**
     * How often the buffer gave way to another, or to itself. While this number stays the same,
     * everything that was added is in {@link #buffer}.
     */
    long freezes() {
        return freezes;
    }

    /** Whether it holds tombstones. */
    boolean hasTombstones() {
        return buffer.tombstones() != 0;
    }

    /**
     * Adds an entry whose answer is not needed or already known, so it can wait for a few others:
     * their buffer memory is then fetched together, and little else happens between two overview
     * lookups, so the processor can wait for several of those at once. The overview must already
     * have the entry, and {@link #beforeAddition} must have been called.
     */
    void addLater(long entry) {
        laterEntries[later] = entry;
        if (++later == LATER) {
            addLaterOnes();
        }
    }

    /** Adds the entries that wait. */
    void addLaterOnes() {
        long before = freezes;
        int count = later;
        int done = 0;
        touchLaterOnes();
        try {
            for (; done < count; done++) {
                long entry = laterEntries[done];
                if (freezes == before) {
                    addNoted(entry, laterPositions[done]);
                } else {
                    add(entry, buffer.position(entry));
                }
            }
        } finally {
            later = 0;
            if (done < count) {
                keepLater(done, count);
            }
        }
    }

    /**
     * Finds their positions in this buffer, and starts reading the memory there without waiting for
     * it.
     */
    private void touchLaterOnes() {
        long sum = 0;
        for (int i = 0; i < later; i++) {
            long position = buffer.position(laterEntries[i]);
            laterPositions[i] = position;
            sum ^= buffer.touch(position);
        }
        touches.keep(sum);
    }

    /** After an error the remaining entries keep waiting. */
    private void keepLater(int from, int to) {
        for (int i = from; i < to; i++) {
            long entry = laterEntries[i];
            laterEntries[later] = entry;
            later++;
            overviews.insert(entry);
        }
    }

    /** Must be called before an addition. */
    void beforeAddition() {
        if (--room < 0 || reports.needsAttention()) {
            attendBeforeAddition();
        }
    }

    /** Must be called before a lookup. */
    void beforeLookup() {
        if (reports.needsAttention()) {
            current.attend();
        }
    }

    /** Must be called before several additions; returns how many, from 1 to {@code most}. */
    int makeRoom(int most) {
        addLaterOnes();
        beforeAddition();
        int additions = Math.min(most, buffer.room());
        room -= additions - 1;
        return additions;
    }

    /**
     * Ensures that an entry can be added.
     *
     * @throws FilterFullException if the filter has outgrown its bits
     */
    void attendBeforeAddition() {
        addLaterOnes();
        current.attend();
        if (clock.lacksTime()) {
            throw new IllegalStateException(
                    "entries have a time to live: advanceTo has to be told the time first");
        }
        if (buffer.isFull()) {
            freeze(true);
        } else {
            backpressure.delayIfBehind(buffer);
        }
        // This operation uses one.
        room = Math.min(INTERVAL, buffer.room()) - 1;
    }

    /** Adds an entry; returns true if it was not in the buffer. */
    boolean add(long entry, long position) {
        overviews.insert(entry);
        return addNoted(entry, position);
    }

    /** As {@link #add}, for an entry that the overview got after the last freeze. */
    boolean addNoted(long entry, long position) {
        try {
            return buffer.add(position);
        } catch (FilterFullException e) {
            freezeCrowded(e);
            // Another overview may be in use, or under construction, by now.
            overviews.insert(entry);
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

    /** If entries are not uniform, one may find no room although the buffer is not full. */
    private void freezeCrowded(FilterFullException cause) {
        if (buffer.size() == 0) {
            throw cause;
        }
        freeze(true);
        room = Math.min(room, buffer.room() - 1);
    }

    /** Freezes the buffer, if it holds anything. */
    void freezeForSnapshot() {
        if (buffer().size() > 0) {
            backpressure.awaitSmallBuffer(current::refresh);
            freeze(false);
        }
        current.refreshIfNeeded();
    }

    /**
     * Lets another buffer take over, and has this one written if it holds anything.
     *
     * @param full whether the next one has to be full-sized, with room
     */
    void freeze(boolean full) {
        EntryBuffer last = buffer;
        long frozen = last.size();
        EntryBuffer next = nextBuffer.after(last, full, clock.bucketEnd());
        if (next != last && last.size() == 0) {
            store.buffers().give(last);
        } else if (next != last) {
            catalog.freeze(new FrozenBuffer(last));
        }
        use(next);
        current.refresh();
        overviews.buildIfDue(current.version(), clock.time(), frozen);
        maintenance.startWriting();
    }

    private void use(EntryBuffer next) {
        buffer = next;
        current.use(next);
        freezes++;
        store.schedule().open(next);
        room = 0;
    }

    /** Writes all that is in memory, and makes it durable. */
    void flush() throws IOException {
        current.attend();
        freezeForSnapshot();
        List<FrozenBuffer> all = current.version().frozen();
        for (int i = all.size() - 1; i >= 0; i--) {
            FrozenBuffer frozen = all.get(i);
            if (catalog.claimOrAwait(frozen)) {
                maintenance.write(frozen);
            }
        }
        maintenance.commit();
        maintenance.sweep();
        current.attend();
    }

    long forgottenEntries() {
        return nextBuffer.forgottenEntries();
    }

    /** Gives the buffer back, once the filter is closed and nothing reads it any more. */
    void release() {
        later = 0;
        store.buffers().give(buffer);
    }
}
