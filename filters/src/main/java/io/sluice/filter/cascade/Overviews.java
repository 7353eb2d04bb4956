/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.function.Supplier;

/**
 * The {@link Overview} that the owner asks, and when another is built: as soon as anything is
 * outside the active buffer, and each time that there is half as much again, or a full buffer more,
 * or twice what the last one had. A set that outgrows its overview memory gets fewer bits for each
 * entry, and finally no overview.
 *
 * <p>One invariant makes it safe: <b>whatever is held, or waits to be, is in the overview that is
 * asked, and will be in the one that is built.</b> A build begins when the active buffer is empty,
 * with everything that was frozen before as its contents; from then on additions go to both. What
 * waits at that moment to be added to the buffer has to be added here again.
 *
 * <p>Used only by the owner.
 */
final class Overviews {

    /** An overview is built for this many times the current entries. */
    private static final double GROWTH = 1.5;

    /**
     * And for at least this many more buffers like the last one, or a full one: a build can begin
     * only when a buffer is frozen, and the overview in use should not be overfull meanwhile.
     * Snapshots freeze buffers early, but it is unknown whether one will come before the next
     * buffer is full.
     */
    private static final long MIN_BUFFERS = 2;

    /** With fewer bits per entry, it would deny less than half of the new ones. */
    private static final double MIN_BITS_PER_KEY = 3;

    private final CascadeStore store;
    private final int bitsPerKey;
    private final OverviewMemory memory;

    /** The one in use; null if there is none yet. */
    private Overview current;

    /** Bytes that are reserved for it. */
    private long reserved;

    /** The one under construction; null if there is none. */
    private OverviewBuild next;

    /** Entries of the buffer that was frozen last. */
    private long lastBuffer;

    Overviews(CascadeStore store) {
        this.store = store;
        this.bitsPerKey = store.options().overviewBitsPerKey();
        this.memory = store.options().overviewMemory();
    }

    /** Whether there is one to ask. */
    boolean isReady() {
        return current != null;
    }

    /** Whether one is under construction. */
    boolean isBuilding() {
        return next != null;
    }

    /** Whether nothing at all holds an entry; false if that is not known. */
    boolean deny(long entry) {
        return current != null && !current.mightContain(entry);
    }

    /**
     * Starts reading what the other methods will need, without waiting for it; only if this is
     * ready.
     */
    long touch(long entry) {
        return current.touch(entry);
    }

    /**
     * Adds an entry if nothing at all holds it: then the caller has to add it to the buffer.
     * Otherwise, or if that is not known, nothing changes.
     *
     * @return whether it was added
     */
    boolean addIfDenied(long entry) {
        boolean isAbsent = current != null && current.add(entry);
        if (isAbsent && next != null) {
            next.insert(entry);
        }
        return isAbsent;
    }

    /** Adds an entry that is held from now on, or waits to be. */
    void insert(long entry) {
        if (current != null) {
            current.insert(entry);
        }
        if (next != null) {
            next.insert(entry);
        }
    }

    /**
     * Begins to build another, if it is due. If there is no memory for it, the filter has no
     * overview any more.
     *
     * @param version everything that is held: the active buffer has to be empty
     * @param frozen entries of the buffer that was frozen
     */
    void buildIfDue(Version version, long time, long frozen) {
        lastBuffer = frozen;
        if (!isDue(version)) {
            return;
        }
        long size = sizeFor(version);
        long bytes = reserve(size);
        if (bytes > 0) {
            next = new OverviewBuild(ofSize(version, size, bytes), store.snapshot(time), bytes);
            store.maintenance().startOverview(next);
        } else if (isFull()) {
            // Its memory may be enough for the next one.
            drop();
        }
    }

    /**
     * Returns memory for an overview of some entries: less than wanted if there is no more, or 0.
     */
    private long reserve(long size) {
        KeyGroups keyGroups = store.options().keyGroups();
        KeyGroupParts parts = store.options().parts();
        double bits = bitsPerKey(size);
        return bits < leastBitsPerKey()
                ? 0
                : memory.reserve(
                        Overview.bytes(keyGroups, parts, size, bits),
                        Overview.bytes(keyGroups, parts, size, leastBitsPerKey()));
    }

    /** Drops the current one: there is none to ask any more. */
    private void drop() {
        if (current != null) {
            current.release();
            memory.release(reserved);
        }
        current = null;
        reserved = 0;
    }

    /** Gives all memory back; the task that builds has ended. */
    void close() {
        drop();
        if (next != null) {
            giveUp();
        }
    }

    private void giveUp() {
        next.release();
        memory.release(next.reserved());
        next = null;
    }

    private boolean isDue(Version version) {
        return bitsPerKey > 0
                && next == null
                && version.size() > 0
                && (current == null || isFull() || isFullSoon(version));
    }

    private boolean isFull() {
        return current != null && current.room() <= 0;
    }

    /** Whether it would be full long before the next buffer, and a larger one would not. */
    private boolean isFullSoon(Version version) {
        return current.room() < store.schedule().bufferEntries() / 2
                && sizeFor(version) > current.capacity();
    }

    /** The entries that another should be built for. */
    private long sizeFor(Version version) {
        long entries = version.entries();
        double least = (double) (entries + MIN_BUFFERS * lastBuffer);
        double wanted = Math.max(GROWTH * (double) entries, least);
        double withFullBuffer = (double) (entries + store.schedule().bufferEntries());
        if (withFullBuffer * leastBitsPerKey() <= mostBits()) {
            wanted = Math.max(wanted, withFullBuffer);
        }
        // A set that nears the capacity it was meant for is not expected to go much beyond.
        long capacity = store.options().expectedEntries();
        return (long) (entries < capacity ? Math.min(wanted, (double) capacity) : wanted);
    }

    private double bitsPerKey(long size) {
        return Math.min(bitsPerKey, mostBits() / (double) size);
    }

    private double leastBitsPerKey() {
        return Math.min(bitsPerKey, MIN_BITS_PER_KEY);
    }

    /** Two have to find room: the one in use, and the one under construction. */
    private double mostBits() {
        return (double) store.options().overviewBytes() / 2 * Byte.SIZE;
    }

    /**
     * Takes what was built into use, or gives it up.
     *
     * @param isComplete whether it has all of its contents
     */
    void take(boolean isComplete) {
        if (next == null) {
            return;
        }
        if (isComplete) {
            drop();
            current = next.finish();
            reserved = next.reserved();
            next = null;
        } else {
            giveUp();
        }
    }

    /** Makes an empty one. Its memory has to be cleared, which may take a moment. */
    private Supplier<Overview> ofSize(Version version, long size, long bytes) {
        CascadeOptions options = store.options();
        KeyGroups keyGroups = options.keyGroups();
        KeyGroupParts parts = options.parts();
        double[] weights = new double[keyGroups.count() >> parts.hashBits()];
        int hashBits = options.eras().hashBits(0);
        for (FrozenBuffer frozen : version.frozen()) {
            hashBits = Math.min(hashBits, frozen.hashBits());
            for (int i = 0; i < weights.length; i++) {
                weights[i] += frozen.buffer().entriesOf(i);
            }
        }
        for (FileSection section : version.files()) {
            hashBits = Math.min(hashBits, section.hashBits());
            KeyGroups part = section.keyGroups().and(keyGroups);
            int first = (part.first() - keyGroups.first()) >> parts.hashBits();
            int end = (part.end() - keyGroups.first()) >> parts.hashBits();
            for (int i = first; i < end; i++) {
                weights[i] += section.stored().counts().of(i);
            }
        }
        int bits = hashBits;
        double perKey = Overview.bitsPerKey(keyGroups, parts, size, bytes);
        return () -> new Overview(memory::allocate, keyGroups, parts, weights, size, perKey, bits);
    }

    long sizeInBytes() {
        return (current == null ? 0 : current.sizeInBytes())
                + (next == null ? 0 : next.sizeInBytes());
    }
}
