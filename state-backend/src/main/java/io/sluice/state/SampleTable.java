/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import io.sluice.filter.hash.HashSpread;
import io.sluice.filter.memory.Words;

/**
 * A hash table of fixed size from hash and key group to a {@link SampleEntry}: open addressing with
 * linear probing, two words a slot. Entries are removed in place. Not thread-safe.
 */
final class SampleTable {

    static final int SLOT_BYTES = 2 * Long.BYTES;

    private final HashSpread spread = HashSpread.secret();
    private final Words words;
    private final int mask;
    private final int most;
    private int size;

    /** Decides which entries go. */
    interface Test {
        boolean test(long hash, long entry);
    }

    /**
     * @param words all 0, their number twice a power of two, at least 8; released by this
     */
    SampleTable(Words words) {
        int slots = Math.toIntExact(words.length() / 2);
        this.words = words;
        this.mask = slots - 1;
        this.most = slots - slots / 4;
    }

    int size() {
        return size;
    }

    /** The most entries that there is room for. */
    int most() {
        return most;
    }

    /** The slot of a key; -1 if it is not there. */
    int find(long hash, int keyGroup) {
        for (int slot = home(hash); ; slot = (slot + 1) & mask) {
            long entry = entry(slot);
            if (entry == 0) {
                return -1;
            }
            if (hash(slot) == hash && SampleEntry.keyGroup(entry) == keyGroup) {
                return slot;
            }
        }
    }

    long entry(int slot) {
        return words.get(2L * slot + 1);
    }

    private long hash(int slot) {
        return words.get(2L * slot);
    }

    /** Replaces the entry in a slot by another one of the same key. */
    void set(int slot, long entry) {
        words.set(2L * slot + 1, entry);
    }

    /** Adds a key that is not there; only if there is room. */
    void add(long hash, long entry) {
        int slot = home(hash);
        while (entry(slot) != 0) {
            slot = (slot + 1) & mask;
        }
        put(slot, hash, entry);
        size++;
    }

    private void put(int slot, long hash, long entry) {
        words.set(2L * slot, hash);
        words.set(2L * slot + 1, entry);
    }

    /** Removes entries. */
    void removeIf(Test goes) {
        for (int slot = 0; slot <= mask; slot++) {
            while (entry(slot) != 0 && goes.test(hash(slot), entry(slot))) {
                remove(slot);
            }
        }
    }

    /** Moves later entries that would no longer be found behind the gap into it. */
    private void remove(int slot) {
        int gap = slot;
        int next = (gap + 1) & mask;
        for (; entry(next) != 0; next = (next + 1) & mask) {
            boolean reachesGap = ((next - home(hash(next))) & mask) >= ((next - gap) & mask);
            if (reachesGap) {
                put(gap, hash(next), entry(next));
                gap = next;
            }
        }
        put(gap, 0, 0);
        size--;
    }

    /** Gives all entries another time. */
    void setTimes(long time) {
        for (int slot = 0; slot <= mask; slot++) {
            if (entry(slot) != 0) {
                set(slot, SampleEntry.at(time, entry(slot)));
            }
        }
    }

    /** Pairs of hash and entry. */
    long[] entries() {
        long[] entries = new long[2 * size];
        int n = 0;
        for (int slot = 0; slot <= mask; slot++) {
            if (entry(slot) != 0) {
                entries[n++] = hash(slot);
                entries[n++] = entry(slot);
            }
        }
        return entries;
    }

    private int home(long hash) {
        return spread.slot(hash, mask + 1);
    }

    /** Returns the memory. */
    void release() {
        words.release();
    }
}
