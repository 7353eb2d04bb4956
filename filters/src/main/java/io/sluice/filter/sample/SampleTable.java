/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.sample;

import io.sluice.filter.hash.HashSpread;
import io.sluice.filter.memory.Words;

/**
 * A hash table from hash and group to {@linkplain SampleRecord records}, of which an id can have
 * several: open addressing with linear probing, two words a slot, at most three quarters full.
 * Records are removed in place. Not thread-safe.
 */
final class SampleTable {

    /** Decides about records. */
    interface Test {
        boolean test(long hash, long record);
    }

    private final HashSpread spread = HashSpread.secret();
    private final SampleRecord layout;
    private final Words words;
    private final int mask;
    private int size;

    /**
     * Makes an empty table.
     *
     * @param words all 0; their number is 0 or twice a power of two, at least 8
     */
    SampleTable(SampleRecord layout, Words words) {
        this.layout = layout;
        this.words = words;
        this.mask = Math.toIntExact(words.length() / 2) - 1;
    }

    Words words() {
        return words;
    }

    int slots() {
        return mask + 1;
    }

    int size() {
        return size;
    }

    /** Returns the most records that there is room for. */
    int most() {
        return slots() - slots() / 4;
    }

    /** Returns the slot of the first record of an id, or -1. */
    int first(int group, long hash) {
        return mask < 0 ? -1 : find(group, hash, home(hash));
    }

    /** Returns the slot of the record of an id that follows the one in {@code slot}, or -1. */
    int next(int group, long hash, int slot) {
        return find(group, hash, slot + 1 & mask);
    }

    private int find(int group, long hash, int from) {
        for (int slot = from; ; slot = slot + 1 & mask) {
            long record = record(slot);
            if (record == 0) {
                return -1;
            }
            if (hash(slot) == hash && layout.group(record) == group) {
                return slot;
            }
        }
    }

    /** Returns the number of records of an id. */
    int times(int group, long hash) {
        int times = 0;
        for (int slot = first(group, hash); slot >= 0; slot = next(group, hash, slot)) {
            times++;
        }
        return times;
    }

    /** Returns the slot of the record of an id that has the earliest time, or -1. */
    int oldest(int group, long hash) {
        int oldest = -1;
        for (int slot = first(group, hash); slot >= 0; slot = next(group, hash, slot)) {
            oldest = oldest < 0 || record(slot) < record(oldest) ? slot : oldest;
        }
        return oldest;
    }

    long record(int slot) {
        return words.get(2L * slot + 1);
    }

    private long hash(int slot) {
        return words.get(2L * slot);
    }

    /** Replaces the record in a slot by another one of the same id. */
    void set(int slot, long record) {
        words.set(2L * slot + 1, record);
    }

    /** Adds a record; only if there is room. */
    void add(long hash, long record) {
        int slot = home(hash);
        while (record(slot) != 0) {
            slot = slot + 1 & mask;
        }
        put(slot, hash, record);
        size++;
    }

    private void put(int slot, long hash, long record) {
        words.set(2L * slot, hash);
        words.set(2L * slot + 1, record);
    }

    void removeIf(Test goes) {
        for (int slot = 0; slot <= mask; slot++) {
            while (record(slot) != 0 && goes.test(hash(slot), record(slot))) {
                remove(slot);
            }
        }
    }

    /** Moves later records that would no longer be found behind the gap into it. */
    private void remove(int slot) {
        int gap = slot;
        int next = gap + 1 & mask;
        for (; record(next) != 0; next = next + 1 & mask) {
            boolean reachesGap = (next - home(hash(next)) & mask) >= (next - gap & mask);
            if (reachesGap) {
                put(gap, hash(next), record(next));
                gap = next;
            }
        }
        put(gap, 0, 0);
        size--;
    }

    /** Gives all records another time. */
    void setTimes(long time) {
        for (int slot = 0; slot <= mask; slot++) {
            if (record(slot) != 0) {
                set(slot, layout.at(time, record(slot)));
            }
        }
    }

    /** Returns the number of records that have a flag. */
    int count(long flag) {
        int count = 0;
        for (int slot = 0; slot <= mask; slot++) {
            count += SampleRecord.has(flag, record(slot)) ? 1 : 0;
        }
        return count;
    }

    /** Returns pairs of hash and record. */
    long[] entries() {
        long[] entries = new long[2 * size];
        int n = 0;
        for (int slot = 0; slot <= mask; slot++) {
            if (record(slot) != 0) {
                entries[n++] = hash(slot);
                entries[n++] = record(slot);
            }
        }
        return entries;
    }

    private int home(long hash) {
        return spread.slot(hash, mask + 1);
    }
}
