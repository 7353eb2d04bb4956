/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.cascade.file.Entries;
import io.sluice.filter.cascade.file.EntryCursor;
import io.sluice.filter.cascade.file.LevelFile;
import io.sluice.filter.memory.Words;
import io.sluice.filter.quotient.FingerprintCursor;
import io.sluice.filter.quotient.QuotientTable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/**
 * The newest entries, in memory: a quotient filter in the order of entries, so that one pass from
 * its beginning writes it to a level file. Holds an entry or its tombstone, never both.
 *
 * <p>A <b>position</b> is an entry without what all of them have in common:
 *
 * <pre>
 *   | key group - first key group | hash, hashBits | tombstone: 1 |
 *   |        quotient: G * 2^j values      |       remainder      |
 * </pre>
 *
 * The key group needs no whole number of bits, so there are G times a power of two quotients, and
 * entries fill them evenly as long as key groups are equally frequent. If key groups are divided
 * into a power of two parts, G counts whole key groups: the part then belongs to the hash.
 *
 * <p>A key group that is much more frequent would crowd its quotients: each addition would move
 * what lies behind. So a buffer refuses what exceeds a key group's share, and the next one is
 * <b>spread</b>: hash and key group change places, and the hash alone chooses the quotient. The
 * order of entries then has to be restored when it is written, see {@link SpreadCursor}.
 *
 * <p>For the {@link ProbabilityBudget} it also counts each key group's entries, and refuses more
 * than it was told to take.
 *
 * <p>Changed by one thread. Once frozen it never changes, and any thread may read it.
 */
final class EntryBuffer {

    /** Beyond this, insertions are slow. */
    private static final double MAX_LOAD = 0.9;

    private static final int TOMBSTONE = 1;

    /**
     * What a key group may have beyond its share by chance: in standard deviations, and at least.
     */
    private static final int DEVIATIONS = 8;

    private static final int FEW = 16;

    private final QuotientTable table;

    /** The table's. */
    private final List<Words> memory = new ArrayList<>();

    private final int remainderBits;
    private final int hashBits;

    /** The key groups that are told apart: further bits belong to the hash. */
    private final int groups;

    /** Of those, in each key group as callers know them. */
    private final int divided;

    /** Bits of a position below the key group, if it is not spread. */
    private final int groupShift;

    /** What a key group may have, so that it does not crowd its quotients. */
    private final int share;

    /** How many entries and tombstones each key group may have, and how many of those are left. */
    private final int[] limits;

    private final int[] left;

    private boolean isSpread;
    private final int capacity;

    /** The least entry: its first key group. */
    private final long base;

    private final int firstKeyGroup;

    /** Lowest bits of an entry: those of the hash that are not kept, and the tombstone. */
    private final int shift;

    /** End of the time bucket of all its entries. */
    private long bucketEnd = TimeBuckets.NEVER;

    private int limit;

    private int tombstones;
    private boolean small;

    private EntryBuffer(
            LongFunction<Words> source,
            KeyGroups keyGroups,
            KeyGroupParts parts,
            int hashBits,
            int quotientBits) {
        this.hashBits = hashBits;
        this.groups = groups(keyGroups, parts);
        this.divided = parts.count() >> parts.hashBits();
        this.groupShift = hashBits + parts.hashBits() + TOMBSTONE;
        this.limits = new int[groups];
        this.left = new int[groups];
        long quotients = (long) groups << quotientBits;
        this.share = withChance(MAX_LOAD * Math.scalb(1.0, quotientBits));
        this.remainderBits = remainderBits(parts, hashBits, quotientBits);
        LongFunction<Words> noted =
                words -> {
                    Words given = source.apply(words);
                    memory.add(given);
                    return given;
                };
        this.table = QuotientTable.create(noted, quotients, remainderBits);
        this.capacity = capacity(quotients);
        this.firstKeyGroup = keyGroups.first();
        this.base = Entries.firstOf(firstKeyGroup);
        this.shift = Entries.MAX_HASH_BITS + 1 - hashBits;
        this.limit = capacity;
    }

    /**
     * An empty buffer of at most {@code bytes}, or of the least size that there is, for at most
     * about {@code entries}.
     */
    static EntryBuffer create(
            LongFunction<Words> memory,
            KeyGroups keyGroups,
            KeyGroupParts parts,
            int hashBits,
            long bytes,
            long entries) {
        int groups = groups(keyGroups, parts);
        int most = hashBits + parts.hashBits();
        int bits = leastQuotientBits(groups);
        while (bits < most
                && capacity((long) groups << bits) < entries
                && sizeInBytes(groups, remainderBits(parts, hashBits, bits + 1), bits + 1)
                        <= bytes) {
            bits++;
        }
        return new EntryBuffer(memory, keyGroups, parts, hashBits, bits);
    }

    /** Bytes of the smallest buffer. */
    static long leastBytes(KeyGroups keyGroups, KeyGroupParts parts, int hashBits) {
        int groups = groups(keyGroups, parts);
        int bits = leastQuotientBits(groups);
        return sizeInBytes(groups, remainderBits(parts, hashBits, bits), bits);
    }

    /** The key groups that have to be told apart: further bits belong to the hash. */
    private static int groups(KeyGroups keyGroups, KeyGroupParts parts) {
        return keyGroups.count() >> parts.hashBits();
    }

    private static int leastQuotientBits(int groups) {
        return groups == 1 ? 1 : 0;
    }

    private static long sizeInBytes(int groups, int remainderBits, int quotientBits) {
        return QuotientTable.sizeInBytes((long) groups << quotientBits, remainderBits);
    }

    private static int remainderBits(KeyGroupParts parts, int hashBits, int quotientBits) {
        return parts.hashBits() + hashBits - quotientBits + TOMBSTONE;
    }

    private static int capacity(long quotients) {
        return (int)
                Math.max(1, Math.min(Integer.MAX_VALUE, (long) (MAX_LOAD * (double) quotients)));
    }

    private static int withChance(double expected) {
        return (int) Math.min(Integer.MAX_VALUE, expected + DEVIATIONS * Math.sqrt(expected) + FEW);
    }

    /** The position of an entry that is not a tombstone, with all bits of its hash. */
    long position(long entry) {
        long ordered = (entry - base) >>> shift << TOMBSTONE;
        if (!isSpread) {
            return ordered;
        }
        long hash = (ordered >>> TOMBSTONE) & ((1L << (groupShift - TOMBSTONE)) - 1);
        return (hash * groups + (ordered >>> groupShift)) << TOMBSTONE;
    }

    /** The entry, perhaps a tombstone, at a position. */
    long entry(long position) {
        long value = position >>> TOMBSTONE;
        if (isSpread) {
            value = ((value % groups) << (groupShift - TOMBSTONE)) | (value / groups);
        }
        return ((value << shift) + base) | (position & TOMBSTONE);
    }

    /** Index of a position's key group, among those that are told apart. */
    int group(long position) {
        return (int) (isSpread ? (position >>> TOMBSTONE) % groups : position >>> groupShift);
    }

    /** {@link LevelFile#ABSENT}, {@link LevelFile#PRESENT} or {@link LevelFile#TOMBSTONE}. */
    int find(long position) {
        if (tombstones != 0 && table.contains(position | TOMBSTONE)) {
            return LevelFile.TOMBSTONE;
        }
        return table.contains(position) ? LevelFile.PRESENT : LevelFile.ABSENT;
    }

    /**
     * Adds an entry, replacing its tombstone if there is one.
     *
     * @return whether it was not there
     * @throws FilterFullException if too many crowd together; nothing is changed
     */
    boolean add(long position) {
        int group = group(position);
        checkRoom(group, position);
        if (tombstones != 0 && table.remove(position | TOMBSTONE)) {
            tombstones--;
            left[group]++;
        }
        if (!table.add(position)) {
            return false;
        }
        left[group]--;
        return true;
    }

    /**
     * Adds a tombstone, replacing its entry if there is one.
     *
     * @throws FilterFullException if too many crowd together; nothing is changed
     */
    void addTombstone(long position) {
        int group = group(position);
        checkRoom(group, position);
        left[group] += table.remove(position) ? 1 : 0;
        if (table.add(position | TOMBSTONE)) {
            left[group]--;
            tombstones++;
        }
    }

    private void checkRoom(int group, long position) {
        if (left[group] == 0 && find(position) == LevelFile.ABSENT) {
            throw new FilterFullException(
                    "a key group has more than the " + limits[group] + " entries it may have");
        }
    }

    /** Takes an entry out, which leaves nothing behind. */
    void erase(long position) {
        left[group(position)] += table.remove(position) ? 1 : 0;
    }

    /** See {@link QuotientTable#touch}. */
    long touch(long position) {
        return table.touch(position);
    }

    /** Entries of some key groups, ascending, tombstones included. */
    EntryCursor cursor(int fromKeyGroup, int endKeyGroup) {
        long from = Entries.firstOf(Math.max(firstKeyGroup, fromKeyGroup));
        long last = Entries.lastBefore(endKeyGroup);
        if (isSpread) {
            return new SpreadCursor(this, () -> table.cursor(0), from, last);
        }
        FingerprintCursor positions = table.cursor(position(from) >>> remainderBits);
        return new EntryCursor() {
            @Override
            public int next(long[] into) {
                int read = positions.next(into);
                for (int i = 0; i < read; i++) {
                    into[i] = entry(into[i]);
                    if (into[i] > last) {
                        return i;
                    }
                }
                return read;
            }

            @Override
            public int hashBits() {
                return hashBits;
            }

            @Override
            public long expectedEntries() {
                return size();
            }
        };
    }

    /**
     * Makes an empty buffer take what there is room for, possibly nothing, for a time bucket.
     *
     * @param spread whether key groups are expected to be unequally frequent
     */
    void begin(EraRoom room, long end, boolean spread) {
        limit = (int) Math.min(room.entries(), capacity);
        bucketEnd = end;
        isSpread = spread;
        for (int i = 0; i < groups; i++) {
            long own = room.ofKeyGroup().applyAsLong(i / divided);
            // The parts of a key group are equally frequent.
            long most = divided == 1 ? own : withChance((double) own / divided);
            limits[i] = (int) Math.min(most, spread ? Integer.MAX_VALUE : share);
        }
        System.arraycopy(limits, 0, left, 0, groups);
    }

    /** Whether a key group is so frequent that the next buffer should be spread. */
    boolean isUneven() {
        for (int i = 0; i < groups; i++) {
            if (entriesOf(i) >= share) {
                return true;
            }
        }
        return false;
    }

    /** Key groups that are told apart. */
    int groups() {
        return groups;
    }

    /** Entries and tombstones of one of them. */
    int entriesOf(int group) {
        return limits[group] - left[group];
    }

    /** Takes everything out. */
    void clear() {
        table.clear();
        tombstones = 0;
        System.arraycopy(limits, 0, left, 0, groups);
    }

    /** Gives its memory back; it must not be used any more. */
    void release() {
        memory.forEach(Words::release);
        memory.clear();
    }

    /** Marks it as only standing in for a full-sized one. */
    void markSmall() {
        small = true;
    }

    boolean isSmall() {
        return small;
    }

    boolean isFull() {
        return table.size() >= limit;
    }

    /** Entries that it still takes. */
    int room() {
        return (int) Math.max(0, limit - table.size());
    }

    int size() {
        return (int) table.size();
    }

    int tombstones() {
        return tombstones;
    }

    /** The most entries that it takes. */
    int capacity() {
        return capacity;
    }

    int hashBits() {
        return hashBits;
    }

    long bucketEnd() {
        return bucketEnd;
    }

    long sizeInBytes() {
        return table.sizeInBytes();
    }

    void checkInvariants() {
        table.checkInvariants();
    }
}
