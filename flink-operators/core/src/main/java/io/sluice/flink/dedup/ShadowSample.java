/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import io.sluice.filter.MeasuredError;
import io.sluice.filter.forgetful.MemoryBudget;
import java.util.Arrays;

/**
 * Measures the error of a filter in production: the ids whose remixed hash begins with {@code s}
 * zero bits, one in 2^s, are also kept exactly, with the times of their records that passed. So it
 * is known whether the filter took a first occurrence for a duplicate, or forgot one that it had to
 * hold. Ids are chosen by hash, so the choice does not depend on what the ids are or when they
 * come, and is the same before and after a restore.
 *
 * <p>A record is a first occurrence if none of its id passed within a window of its time, before or
 * after it. One that is up to a slice further away may be dropped or not: it is not counted.
 *
 * <p>"Exactly" means by 64-bit hash: two ids with the same hash look the same to the sample and to
 * the filter; each of n ids shares its hash with probability n / 2^64.
 *
 * <p>Only ids that were watched from their first occurrence on are meaningful. A sample that begins
 * with a filter that already holds ids, or that lost an entry for lack of memory, does not count
 * ids as long as the filter may hold ids that the sample does not know.
 *
 * <p>Memory is bounded: a table that is full drops the records that are three windows behind the
 * clock, and if that was less than half, raises {@code s} by one, keeps half, and halves what was
 * counted: so the counts are those of one rate. Of an id at most {@value #MAX_TIMES} records are
 * kept; an id that has more is not counted near the oldest of them.
 *
 * <p>Cost: a multiplication and a comparison for ids outside the sample; an amortised O(1) probe of
 * an open-addressing table for the others. Not thread-safe.
 */
final class ShadowSample {

    /** Odd, from the golden ratio; filter and key groups remix differently. */
    private static final long SELECT = 0x9E3779B97F4A7C15L;

    /** Odd; picks the slot in the table. */
    private static final long SPREAD = 0xD6E8FEB86659FD93L;

    /**
     * An id that would be more slots than this behind its own is left out of the sample. In a table
     * that is half full this only happens to hashes that were chosen for it; without a bound, each
     * access would pass all of them.
     */
    private static final int MAX_PROBES = 1 << 10;

    /** A slot is a hash and a stamp; it is free if both are 0. No stored stamp is 0. */
    private static final int SLOT_BYTES = 2 * Long.BYTES;

    private static final int MIN_SLOTS = 8;
    private static final int MAX_SHIFT = 63;

    /** Most records of one id that are kept. */
    static final int MAX_TIMES = 16;

    /** Stamps are timestamp << 2 | flags; timestamps are clamped to what fits. */
    private static final long USED = 1;

    /** The filter need not hold it: it was dropped, is late, or its time is not believed. */
    private static final long UNBOUND = 2;

    private static final int FLAG_BITS = 2;
    private static final long MAX_STAMP_TIME = Long.MAX_VALUE >> FLAG_BITS;
    private static final long MIN_STAMP_TIME = Long.MIN_VALUE >> FLAG_BITS;

    /** Counts only once a clock is known and the retention has passed. */
    private static final long NOT_KNOWN_YET = Long.MAX_VALUE;

    private final int maxIds;
    private final long windowMillis;
    private final long sliceMillis;
    private final long retentionMillis;
    private final MemoryBudget budget;

    /** What {@link #look} found: a record within the window, or up to a slice beyond it. */
    private boolean isNear;

    private boolean isUnclear;

    /** What {@link #look} found: a record within the window that the filter holds. */
    private boolean mustBeHeld;

    private int shift;
    private long[] hashes = {};
    private long[] stamps = {};
    private int size;
    private long firsts;
    private long dropped;
    private long missed;

    /** From this clock time on the sample knows all ids of its choice that the filter holds. */
    private long countsFrom = Long.MIN_VALUE;

    private ShadowSample(int maxIds, int shift, long windowMillis, MemoryBudget budget) {
        this.maxIds = maxIds;
        this.shift = shift;
        this.windowMillis = windowMillis;
        this.sliceMillis = (windowMillis + 7) / 8;
        this.retentionMillis = 3 * windowMillis;
        this.budget = budget;
    }

    /**
     * Returns an empty sample.
     *
     * @param maxIds most ids that are kept; 0 for no sample
     * @param expectedIds ids expected in a window, for the first sampling rate
     * @param windowMillis the window in ms
     * @param budget where the memory is reserved; without room the sample becomes coarser
     */
    static ShadowSample create(
            int maxIds, long expectedIds, long windowMillis, MemoryBudget budget) {
        int shift = 0;
        while (maxIds > 0 && shift < MAX_SHIFT && (expectedIds >>> shift) > maxIds) {
            shift++;
        }
        return new ShadowSample(maxIds, shift, windowMillis, budget);
    }

    /** Returns whether the id belongs to the sample. */
    boolean contains(long hash) {
        // The first `shift` bits; shifting by 64 - 0 would shift by 0, hence in two steps.
        return maxIds > 0 && (hash * SELECT) >>> 1 >>> (63 - shift) == 0;
    }

    /**
     * Records what the filter said about an id of the sample that was not late.
     *
     * @param kept the time as which the filter keeps it
     * @param absent the filter reported it as certainly absent, and holds it now
     * @param coveredSince ids from this timestamp on must be held by the filter
     * @param clock the present time, for expiry
     */
    void record(
            long hash, long timestamp, long kept, boolean absent, long coveredSince, long clock) {
        look(hash, timestamp, coveredSince);
        if (absent && mustBeHeld) {
            missed++;
        }
        boolean first = !isNear && !isUnclear;
        if (first) {
            countFirst(absent, clock);
        }
        if (absent || first) {
            insert(hash, stamp(timestamp, absent && kept == timestamp ? 0 : UNBOUND), clock);
        }
    }

    /** An id of the sample passed that the filter need not hold for its window. */
    void passed(long hash, long timestamp, long clock) {
        insert(hash, stamp(timestamp, UNBOUND), clock);
    }

    /** An id that was reported as seen is held by the filter for this timestamp too. */
    void renew(long hash, long timestamp, long clock) {
        int latest = -1;
        long before = Long.MIN_VALUE;
        for (int slot = first(hash); slot >= 0; slot = next(hash, slot)) {
            long time = time(stamps[slot]);
            if (time >= timestamp) {
                return;
            }
            if (latest < 0 || time > time(stamps[latest])) {
                before = latest < 0 ? before : time(stamps[latest]);
                latest = slot;
            } else {
                before = Math.max(before, time);
            }
        }
        // The one in between is within a window of whatever is within a window of it.
        if (before > Long.MIN_VALUE && distance(before, timestamp) <= windowMillis) {
            stamps[latest] = stamp(timestamp, stamps[latest] & UNBOUND);
        } else {
            insert(hash, stamp(timestamp, 0), clock);
        }
    }

    /** Sets what the sample knows of an id around a time. */
    private void look(long hash, long timestamp, long coveredSince) {
        isNear = false;
        isUnclear = false;
        mustBeHeld = false;
        int times = 0;
        long oldest = Long.MAX_VALUE;
        for (int slot = first(hash); slot >= 0; slot = next(hash, slot)) {
            times++;
            long time = time(stamps[slot]);
            oldest = Math.min(oldest, time);
            long distance = distance(time, timestamp);
            isNear |= distance <= windowMillis;
            isUnclear |= distance <= windowMillis + sliceMillis;
            mustBeHeld |=
                    distance <= windowMillis
                            && time >= coveredSince
                            && (stamps[slot] & UNBOUND) == 0;
        }
        if (times == MAX_TIMES && timestamp <= oldest + windowMillis + sliceMillis) {
            isUnclear = true;
        }
    }

    /** Returns the greatest long if the difference is greater. */
    private static long distance(long a, long b) {
        long distance = Math.max(a, b) - Math.min(a, b);
        return distance < 0 ? Long.MAX_VALUE : distance;
    }

    private void countFirst(boolean absent, long clock) {
        if (countsFrom == NOT_KNOWN_YET && clock != Long.MIN_VALUE) {
            countsFrom =
                    clock > NOT_KNOWN_YET - 1 - retentionMillis
                            ? NOT_KNOWN_YET - 1
                            : clock + retentionMillis;
        }
        if (clock >= countsFrom) {
            firsts++;
            dropped += absent ? 0 : 1;
        }
    }

    /**
     * The filter may hold ids that the sample does not know; from now on the sample learns them.
     */
    void beginsLate() {
        countsFrom = NOT_KNOWN_YET;
    }

    /** The clock is not known any more, and may go on from an earlier time. */
    void clockReset() {
        if (countsFrom != Long.MIN_VALUE) {
            beginsLate();
        }
    }

    /** See the field; for the snapshot. A switched-off sample has always begun late. */
    long countsFrom() {
        return maxIds == 0 ? NOT_KNOWN_YET : countsFrom;
    }

    MeasuredError error() {
        return new MeasuredError(firsts, dropped);
    }

    /** Duplicates inside the window that the filter let pass; anything but 0 is a bug. */
    long missed() {
        return missed;
    }

    int size() {
        return size;
    }

    int shift() {
        return shift;
    }

    long sizeInBytes() {
        return (long) hashes.length * SLOT_BYTES;
    }

    /** Entries as pairs of hash and stamp, for the snapshot. */
    long[] entries() {
        long[] entries = new long[2 * size];
        int n = 0;
        for (int slot = 0; slot < hashes.length; slot++) {
            if (stamps[slot] != 0) {
                entries[n++] = hashes[slot];
                entries[n++] = stamps[slot];
            }
        }
        return entries;
    }

    /**
     * Takes over a snapshot: all of its counts, and as many entries as there is room for.
     *
     * @throws IllegalArgumentException if an id is there too often, or without a time: copies stay
     *     together however coarse the sample becomes, so it would try in vain for each of them
     */
    void restore(
            int shift, long firsts, long dropped, long missed, long countsFrom, long[] entries) {
        this.countsFrom = countsFrom;
        this.shift = Math.max(this.shift, shift);
        this.firsts = firsts;
        this.dropped = dropped;
        this.missed = missed;
        if (maxIds == 0) {
            return;
        }
        for (int i = 0; i < entries.length; i += 2) {
            if (contains(entries[i])) {
                if (entries[i + 1] == 0 || times(entries[i]) == MAX_TIMES) {
                    throw new IllegalArgumentException(
                            "an id of the sample is there more than "
                                    + MAX_TIMES
                                    + " times, or without a time");
                }
                insert(entries[i], entries[i + 1], Long.MIN_VALUE);
            }
        }
    }

    /** Returns the table's memory to the budget. */
    void close() {
        budget.release(sizeInBytes());
        hashes = new long[0];
        stamps = new long[0];
        size = 0;
    }

    /** Returns the slot of the first record of an id, or -1. */
    private int first(long hash) {
        return hashes.length == 0 ? -1 : find(hash, home(hash), MAX_PROBES);
    }

    /** Returns the slot of the record of an id that follows the one in {@code slot}, or -1. */
    private int next(long hash, int slot) {
        int mask = hashes.length - 1;
        return find(hash, slot + 1 & mask, MAX_PROBES - 1 - (slot - home(hash) & mask));
    }

    private int find(long hash, int from, int probes) {
        int mask = hashes.length - 1;
        int slot = from;
        for (int probe = 0; probe < Math.min(probes, hashes.length); probe++) {
            if (stamps[slot] == 0) {
                return -1;
            }
            if (hashes[slot] == hash) {
                return slot;
            }
            slot = slot + 1 & mask;
        }
        return -1;
    }

    private int times(long hash) {
        int times = 0;
        for (int slot = first(hash); slot >= 0; slot = next(hash, slot)) {
            times++;
        }
        return times;
    }

    private void insert(long hash, long stamp, long clock) {
        if (replacesOldest(hash, stamp)) {
            return;
        }
        while (size >= maxIds || 2 * (size + 1) > hashes.length) {
            if (!makeRoom(clock)) {
                beginsLate();
                return;
            }
            if (!contains(hash)) {
                return;
            }
        }
        place(hash, stamp);
    }

    /** For an id of which as many records are kept as may be. */
    private boolean replacesOldest(long hash, long stamp) {
        int times = 0;
        int oldest = -1;
        for (int slot = first(hash); slot >= 0; slot = next(hash, slot)) {
            times++;
            oldest = oldest < 0 || stamps[slot] < stamps[oldest] ? slot : oldest;
        }
        if (times < MAX_TIMES) {
            return false;
        }
        stamps[oldest] = Math.max(stamps[oldest], stamp);
        return true;
    }

    private void place(long hash, long stamp) {
        int mask = hashes.length - 1;
        int slot = home(hash);
        for (int probe = 1; stamps[slot] != 0; probe++) {
            if (probe == MAX_PROBES) {
                beginsLate();
                return;
            }
            slot = (slot + 1) & mask;
        }
        hashes[slot] = hash;
        stamps[slot] = stamp;
        size++;
    }

    private int home(long hash) {
        return (int) ((hash * SPREAD) >>> 32) & (hashes.length - 1);
    }

    /** Grows the table, or thins out what is in it. False if neither is possible. */
    private boolean makeRoom(long clock) {
        if (size < maxIds) {
            int slots = Math.max(MIN_SLOTS, 2 * hashes.length);
            if (budget.tryReserve((long) slots * SLOT_BYTES)) {
                budget.release(sizeInBytes());
                rebuild(slots, Long.MIN_VALUE);
                return true;
            }
            if (hashes.length == 0) {
                return false;
            }
        }
        int before = size;
        rebuild(hashes.length, expiry(clock));
        if (2 * size > before && shift < MAX_SHIFT) {
            shift++;
            rebuild(hashes.length, Long.MIN_VALUE);
            halveCounts();
        }
        return size < before || shift < MAX_SHIFT;
    }

    /** Which of the ids were of the half that is left is not known; odd counts round in turn. */
    private void halveCounts() {
        firsts = (firsts + (shift & 1)) >> 1;
        dropped = Math.min(firsts, (dropped + (shift & 1)) >> 1);
    }

    private void rebuild(int slots, long keepFrom) {
        long[] oldHashes = hashes;
        long[] oldStamps = stamps;
        if (slots == oldHashes.length) {
            oldHashes = Arrays.copyOf(oldHashes, slots);
            oldStamps = Arrays.copyOf(oldStamps, slots);
            Arrays.fill(stamps, 0);
        } else {
            hashes = new long[slots];
            stamps = new long[slots];
        }
        size = 0;
        for (int slot = 0; slot < oldHashes.length; slot++) {
            if (oldStamps[slot] != 0
                    && time(oldStamps[slot]) >= keepFrom
                    && contains(oldHashes[slot])) {
                place(oldHashes[slot], oldStamps[slot]);
            }
        }
    }

    private long expiry(long clock) {
        return clock < Long.MIN_VALUE + retentionMillis ? Long.MIN_VALUE : clock - retentionMillis;
    }

    /** Treats a time that does not fit as if the filter had not taken the id. */
    private static long stamp(long timestamp, long flags) {
        if (timestamp < MIN_STAMP_TIME || timestamp > MAX_STAMP_TIME) {
            return (timestamp < 0 ? MIN_STAMP_TIME : MAX_STAMP_TIME) << FLAG_BITS | USED | UNBOUND;
        }
        return timestamp << FLAG_BITS | USED | flags;
    }

    private static long time(long stamp) {
        return stamp >> FLAG_BITS;
    }
}
