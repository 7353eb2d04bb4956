/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Records that wait for each other, with what was computed of their ids. Not thread-safe.
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

    int keyGroup(int i) {
        return keyGroups[i];
    }

    /**
     * Begins again with a new array: the collector keeps no books about references in a young one,
     * which costs less than to clear an old one and to write into it. Not for a single record: that
     * would be an array for each.
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
