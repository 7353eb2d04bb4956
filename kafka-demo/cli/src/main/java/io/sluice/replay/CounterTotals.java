/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import io.sluice.capture.traffic.SplitMix64;
import java.util.Arrays;

/**
 * The true value of every counter of one kind: a hash map from key to four sums, in arrays. Open
 * addressing with linear probing, at most half full. Not thread-safe.
 */
public final class CounterTotals {
    /** Receives the counters, in ascending order of their keys. */
    @FunctionalInterface
    public interface Visitor<X extends Exception> {
        /**
         * One counter.
         *
         * @param operations distinct operations sent: the true value of a counter of packets
         * @param bytes their bytes on the wire: the true value of a counter of bytes
         * @param sends all sends, retries included: what a counter without a filter shows
         * @param sendsBeyondWindow retries among them that a forgetful filter may count
         */
        void visit(long key, long operations, long bytes, long sends, long sendsBeyondWindow)
                throws X;
    }

    private static final int OPERATIONS = 0;
    private static final int BYTES = 1;
    private static final int SENDS = 2;
    private static final int BEYOND = 3;
    private static final int SUMS = 4;
    private static final int INITIAL_SLOTS = 1024;

    private long[] keys = new long[INITIAL_SLOTS];
    private long[] sums = new long[INITIAL_SLOTS * SUMS];
    private int size;

    /** Counts one send under {@code key}. */
    void add(long key, SendKind kind, int wireLength) {
        int slot = slotOf(key);
        if (sums[slot * SUMS + SENDS] == 0) {
            slot = insert(key, slot);
        }
        int at = slot * SUMS;
        sums[at + SENDS]++;
        if (kind == SendKind.FIRST) {
            sums[at + OPERATIONS]++;
            sums[at + BYTES] += wireLength;
        } else if (kind == SendKind.RETRY_BEYOND_WINDOW) {
            sums[at + BEYOND]++;
        }
    }

    /** Sets a new counter, as read from a file. */
    void put(long key, long operations, long bytes, long sends, long sendsBeyondWindow) {
        int at = insert(key, slotOf(key)) * SUMS;
        sums[at + OPERATIONS] = operations;
        sums[at + BYTES] = bytes;
        sums[at + SENDS] = sends;
        sums[at + BEYOND] = sendsBeyondWindow;
    }

    /** Number of counters. */
    public int size() {
        return size;
    }

    /** Distinct operations sent under {@code key}: the true value; 0 if there is no such key. */
    public long operations(long key) {
        return sums[slotOf(key) * SUMS + OPERATIONS];
    }

    /** Bytes on the wire of those operations. */
    public long bytes(long key) {
        return sums[slotOf(key) * SUMS + BYTES];
    }

    /** Sends under {@code key}, retries included. */
    public long sends(long key) {
        return sums[slotOf(key) * SUMS + SENDS];
    }

    /** Retries under {@code key} that were sent beyond the window. */
    public long sendsBeyondWindow(long key) {
        return sums[slotOf(key) * SUMS + BEYOND];
    }

    /** Passes every counter to {@code visitor}, in ascending order of the keys. */
    public <X extends Exception> void forEach(Visitor<X> visitor) throws X {
        long[] sorted = new long[size];
        int count = 0;
        for (int slot = 0; slot < keys.length; slot++) {
            if (sums[slot * SUMS + SENDS] != 0) {
                sorted[count++] = keys[slot];
            }
        }
        Arrays.sort(sorted);
        for (long key : sorted) {
            int at = slotOf(key) * SUMS;
            visitor.visit(
                    key,
                    sums[at + OPERATIONS],
                    sums[at + BYTES],
                    sums[at + SENDS],
                    sums[at + BEYOND]);
        }
    }

    /** The slot that holds {@code key}, or the empty one where it belongs. Empty means no sends. */
    private int slotOf(long key) {
        int mask = keys.length - 1;
        int slot = (int) SplitMix64.mix(key) & mask;
        while (sums[slot * SUMS + SENDS] != 0 && keys[slot] != key) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private int insert(long key, int emptySlot) {
        int slot = emptySlot;
        if (2 * (size + 1) > keys.length) {
            grow();
            slot = slotOf(key);
        }
        keys[slot] = key;
        size++;
        return slot;
    }

    private void grow() {
        long[] oldKeys = keys;
        long[] oldSums = sums;
        keys = new long[2 * oldKeys.length];
        sums = new long[2 * oldSums.length];
        for (int slot = 0; slot < oldKeys.length; slot++) {
            if (oldSums[slot * SUMS + SENDS] != 0) {
                int target = slotOf(oldKeys[slot]);
                keys[target] = oldKeys[slot];
                System.arraycopy(oldSums, slot * SUMS, sums, target * SUMS, SUMS);
            }
        }
    }
}
