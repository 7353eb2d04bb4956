/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.cascade.file.LevelFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * The buffer that entries are added to, and when it gives way to the next one: when it is full, a
 * snapshot is taken, or its time bucket has ended. Also does the owner's periodic chores: taking
 * over what the background has done, throwing what failed there, and waiting when the background
 * falls behind (see {@link Backpressure}).
 *
 * <p>Used only by the owner.
 */
final class ActiveBuffer {

    /** Operations between two checks on the background. */
    private static final int INTERVAL = 1 << 10;

    /** Entries that wait for memory together. */
    private static final int LATER = 64;

    /**
     * A new buffer in an ending era is worthwhile only if it takes a full buffer's entries divided
     * by this.
     */
    private static final int MIN_PART = 8;

    private final CascadeStore store;
    private final CascadeOptions options;
    private final Catalog catalog;
    private final Maintenance maintenance;
    private final OlderEntries older;
    private final Overviews overviews;
    private final Backpressure backpressure;
    private final ProbabilityBudget budget;

    private EntryBuffer buffer;

    /** How often the buffer gave way to another. */
    private long freezes;

    /** Entries still to be added, and their positions; the buffer has room for them. */
    private final long[] laterEntries = new long[LATER];

    private final long[] laterPositions = new long[LATER];
    private int later;

    /** Keeps the compiler from dropping the reads, see {@link EntryBuffer#touch}. */
    @SuppressWarnings("UnusedVariable")
    private long touched;

    /** Operations until {@link #attend}, which is before the buffer can be more than full. */
    private int room;

    private Version version;
    private long time;

    /**
     * No bucket ends before those found at the opening: a tombstone outlives what it hides. Holds
     * until the first time is told, see {@link #begin}.
     */
    private long earliestBucketEnd;

    /** Whether a time was told since the opening. */
    private boolean hasBegun;

    /** The earliest time at which something expires. */
    private long nextExpiry;

    private long expiredFiles;

    /** Entries that were forgotten because the filter has outgrown its bits. */
    private long forgottenEntries;

    ActiveBuffer(CascadeStore store, OlderEntries older, Overviews overviews) {
        this.store = store;
        this.overviews = overviews;
        this.options = store.options();
        this.catalog = store.catalog();
        this.maintenance = store.maintenance();
        this.older = older;
        this.backpressure = new Backpressure(store);
        this.time = maintenance.time();
        this.version = catalog.pinCurrent();
        this.budget = new ProbabilityBudget(options, version, maintenance.bound());
        if (options.timeBuckets().isEndless()) {
            catalog.endBuckets(Long.MIN_VALUE, TimeBuckets.NEVER);
            version = catalog.refresh(version);
        }
        this.earliestBucketEnd = version.lastBucketEnd();
        look();
        use(nextBuffer(false));
        maintenance.startMerges();
        maintenance.startSummaries();
        overviews.buildIfDue(version, time, 0);
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

    private void addLaterOnes() {
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
        touched = sum;
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
        attend();
        if (!options.timeBuckets().isEndless() && time == Manifest.NO_TIME) {
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
        catalog.takeOverviewEnd().ifPresent(overviews::take);
        look();
        if (catalog.hasReleased()) {
            maintenance.startSweep();
        }
    }

    private void look() {
        older.use(version);
        nextExpiry = version.nextExpiry(options.timeBuckets());
        backpressure.look(version);
        budget.look(version, buffer);
        maintenance.bound(budget.bound());
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
            backpressure.awaitSmallBuffer(this::refresh);
            freeze(false);
        }
        if (catalog.needsAttention()) {
            refresh();
        }
    }

    private void freeze(boolean full) {
        EntryBuffer last = buffer;
        long frozen = last.size();
        EntryBuffer next = nextBuffer(full);
        if (next != last && last.size() == 0) {
            store.buffers().give(last);
        } else if (next != last) {
            catalog.freeze(new FrozenBuffer(last));
        }
        use(next);
        refresh();
        overviews.buildIfDue(version, time, frozen);
        maintenance.startWriting();
    }

    private void use(EntryBuffer next) {
        buffer = next;
        freezes++;
        store.schedule().open(next);
        room = 0;
    }

    /**
     * The next buffer, of the era that has room.
     *
     * @param full whether a full-sized one with room is needed and worth waiting for; otherwise it
     *     may be a small one, or one that takes nothing
     */
    private EntryBuffer nextBuffer(boolean full) {
        long least = store.schedule().bufferEntries() / MIN_PART;
        EraRoom era = full ? makeRoom(least) : budget.room(version, buffer, least);
        EntryBuffer next = buffer;
        if (next == null || next.size() > 0 || next.hashBits() != era.hashBits()) {
            next =
                    full
                            ? backpressure.awaitBuffer(era.hashBits(), this::refresh)
                            : store.buffers().takeAny(era.hashBits());
        }
        next.begin(era.entries(), bucketEnd(time));
        return next;
    }

    /**
     * The era that has room. If none has, room is made as the {@link CapacityPolicy} says.
     *
     * @throws FilterFullException if the policy is {@link CapacityPolicy#FAIL}
     */
    private EraRoom makeRoom(long least) {
        EraRoom era = budget.room(version, buffer, least);
        while (era.entries() == 0) {
            if (options.capacityPolicy() == CapacityPolicy.FAIL) {
                throw new FilterFullException(
                        "the set has outgrown its capacity of "
                                + options.capacity()
                                + " entries so far that falsePositiveProbability "
                                + options.falsePositiveProbability()
                                + " cannot be kept with the bits of a hash that there are: open it"
                                + " with a greater probability, let entries expire, or choose"
                                + " another capacityPolicy");
            }
            if (options.capacityPolicy() == CapacityPolicy.FORGET_OLDEST && hasFile()) {
                forgottenEntries += catalog.forgetOldest();
                refresh();
            } else {
                budget.raise(version, buffer);
                maintenance.bound(budget.bound());
            }
            era = budget.room(version, buffer, least);
        }
        return era;
    }

    /** Whether there is something to forget; writes what is only in memory first. */
    private boolean hasFile() {
        try {
            while (version.files().isEmpty() && !version.frozen().isEmpty()) {
                FrozenBuffer oldest = catalog.claimOldest();
                if (oldest != null) {
                    maintenance.write(oldest);
                } else {
                    catalog.awaitWriting();
                }
                refresh();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return !version.files().isEmpty();
    }

    private long bucketEnd(long at) {
        return at == Manifest.NO_TIME
                ? TimeBuckets.NEVER
                : Math.max(earliestBucketEnd, options.timeBuckets().endOf(at));
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

    /** Takes over a time and does what follows from it. */
    void advanceTo(long millis) {
        TimeBuckets buckets = options.timeBuckets();
        if (!hasBegun) {
            begin(millis);
        }
        if (millis <= time && time != Manifest.NO_TIME) {
            return;
        }
        addLaterOnes();
        attend();
        boolean bucketEnds = bucketEnd(millis) != bucketEnd(time);
        if (bucketEnds && buffer.size() > 0) {
            // What fails here has changed nothing.
            backpressure.awaitSmallBuffer(this::refresh);
        }
        time = millis;
        maintenance.time(millis);
        if (bucketEnds) {
            freeze(false);
            maintenance.startMerges();
        }
        if (time >= nextExpiry) {
            expire(buckets);
        }
    }

    /**
     * The first time since the opening. No bucket should end later than the current one: any that
     * does was made with other options, without a time to live or with longer buckets. Its entries
     * were added before now, so their time may start now. Then later buckets end no earlier, and
     * new entries need not live longer because of old ones.
     */
    private void begin(long millis) {
        addLaterOnes();
        attend();
        hasBegun = true;
        if (options.timeBuckets().isEndless()) {
            return;
        }
        time = Math.max(time, millis);
        maintenance.time(time);
        long end = options.timeBuckets().endOf(time);
        if (buffer.size() > 0) {
            freeze(false);
        }
        catalog.endBuckets(end + 1, end);
        earliestBucketEnd = Math.max(Long.MIN_VALUE, catalog.lastFrozenBucketEnd());
        refresh();
        freeze(false);
        if (time >= nextExpiry) {
            expire(options.timeBuckets());
        }
        maintenance.startMerges();
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

    long forgottenEntries() {
        return forgottenEntries;
    }

    /** Upper bound of the probability that an absent hash is reported. */
    double falsePositiveBound() {
        return budget.bound();
    }

    Stalls stalls() {
        return backpressure.stalls();
    }

    /** Lets go of the version. */
    void close() {
        catalog.unpin(version);
        version = new Version(List.of(), List.of());
        older.use(version);
    }

    /** Gives the buffer back, once the filter is closed and nothing reads it any more. */
    void release() {
        later = 0;
        store.buffers().give(buffer);
    }
}
