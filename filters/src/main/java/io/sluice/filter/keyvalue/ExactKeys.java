/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.hash.HashSpread;
import java.util.Arrays;

/**
 * A small exact map from hashes to values, for the few keys whose value the cells do not tell. Open
 * addressing with linear probing, at most half full; deletion moves later entries back, so that it
 * leaves no marks. Grows up to a given number of keys. Not thread-safe.
 */
final class ExactKeys {

    private static final int FIRST_SLOTS = 16;

    private final HashSpread spread = HashSpread.secret();
    private final int capacity;
    private long[] hashes = new long[FIRST_SLOTS];

    /** Negative where a slot is free. */
    private int[] values = new int[FIRST_SLOTS];

    private int size;

    /**
     * @param capacity at least 0, at most 2^28
     */
    ExactKeys(int capacity) {
        this.capacity = capacity;
        Arrays.fill(values, KeyValueFilter.ABSENT);
    }

    int capacity() {
        return capacity;
    }

    int size() {
        return size;
    }

    /** The value of {@code hash}, or {@link KeyValueFilter#ABSENT}. */
    int get(long hash) {
        return values[slot(hash)];
    }

    /** Sets the value of {@code hash}, unless it is new and there is no room. */
    void put(long hash, int value) {
        int at = slot(hash);
        if (values[at] < 0) {
            if (size == capacity) {
                return;
            }
            size++;
            if (2 * size > values.length) {
                grow();
                at = slot(hash);
            }
            hashes[at] = hash;
        }
        values[at] = value;
    }

    void remove(long hash) {
        int at = slot(hash);
        if (values[at] < 0) {
            return;
        }
        size--;
        int mask = values.length - 1;
        for (int next = (at + 1) & mask; values[next] >= 0; next = (next + 1) & mask) {
            // Moves back an entry whose search starts at or before the freed slot.
            if (((next - home(hashes[next])) & mask) >= ((next - at) & mask)) {
                hashes[at] = hashes[next];
                values[at] = values[next];
                at = next;
            }
        }
        values[at] = KeyValueFilter.ABSENT;
    }

    /** All hashes, ascending. */
    long[] sortedHashes() {
        long[] all = new long[size];
        int n = 0;
        for (int i = 0; i < values.length; i++) {
            if (values[i] >= 0) {
                all[n++] = hashes[i];
            }
        }
        Arrays.sort(all);
        return all;
    }

    long sizeInBytes() {
        return (long) values.length * (Long.BYTES + Integer.BYTES);
    }

    private int home(long hash) {
        return spread.slot(hash, values.length);
    }

    private int slot(long hash) {
        int at = home(hash);
        while (values[at] >= 0 && hashes[at] != hash) {
            at = (at + 1) & (values.length - 1);
        }
        return at;
    }

    private void grow() {
        long[] oldHashes = hashes;
        int[] oldValues = values;
        hashes = new long[2 * oldHashes.length];
        values = new int[hashes.length];
        Arrays.fill(values, KeyValueFilter.ABSENT);
        for (int i = 0; i < oldValues.length; i++) {
            if (oldValues[i] >= 0) {
                int at = slot(oldHashes[i]);
                hashes[at] = oldHashes[i];
                values[at] = oldValues[i];
            }
        }
    }
}
