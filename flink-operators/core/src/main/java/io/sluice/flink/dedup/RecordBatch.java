/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Records that wait for each other, with what was computed from their ids. Not thread-safe.
 *
 * @param <T> type of the records
 */
final class RecordBatch<T> {

    private StreamRecord<T>[] records;
    private final long[] hashes;
    private final int[] keyGroups;
    private int size;

    RecordBatch(int capacity) {
        records = newArray(capacity);
        hashes = new long[capacity];
        keyGroups = new int[capacity];
    }

    void add(StreamRecord<T> record, long hash, int keyGroup) {
        records[size] = record;
        hashes[size] = hash;
        keyGroups[size] = keyGroup;
        size++;
    }

    boolean isFull() {
        return size == records.length;
    }

    int size() {
        return size;
    }

    StreamRecord<T> record(int i) {
        return records[i];
    }

    long hash(int i) {
        return hashes[i];
    }

    /** Returns the hashes, at the indices of their records. */
    long[] hashes() {
        return hashes;
    }

    /** Returns the key groups, at the indices of their records. */
    int[] keyGroups() {
        return keyGroups;
    }

    int keyGroup(int i) {
        return keyGroups[i];
    }

    /**
     * Starts over with a new array: the garbage collector does not track references in a young
     * array, so this costs less than clearing an old one and writing into it. Not for batches of
     * one record, where each record would cost an array.
     */
    void clear() {
        if (records.length > 1) {
            records = newArray(records.length);
        } else {
            records[0] = null;
        }
        size = 0;
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static <T> StreamRecord<T>[] newArray(int length) {
        return new StreamRecord[length];
    }
}
