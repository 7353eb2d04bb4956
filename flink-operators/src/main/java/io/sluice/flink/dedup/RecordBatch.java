/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import java.util.Arrays;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Records that wait for each other, with what was computed of their ids. Not thread-safe.
 *
 * @param <T> type of the records
 */
final class RecordBatch<T> {

    private final StreamRecord<T>[] records;
    private final long[] hashes;
    private final int[] keyGroups;
    private int size;

    @SuppressWarnings({"unchecked", "rawtypes"})
    RecordBatch(int capacity) {
        records = new StreamRecord[capacity];
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

    void clear() {
        Arrays.fill(records, 0, size, null);
        size = 0;
    }
}
