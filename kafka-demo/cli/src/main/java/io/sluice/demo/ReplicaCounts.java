/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import io.sluice.record.CounterKind;
import io.sluice.record.DecodeResult;
import io.sluice.record.PacketRecord;
import io.sluice.record.PacketRecordCodec;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What the inputs of both replicas hold: the operations of each window, and the values that the
 * counters of both have to end with, in which each operation of either input counts once. Exact.
 * Not thread-safe.
 */
final class ReplicaCounts {
    /** An operation of a window: what replicas exchange. */
    record Element(long window, long operation) {}

    private final long windowMillis;
    private final CounterKind kind;
    private final PacketRecordCodec codec = new PacketRecordCodec();
    private final PacketRecord record = new PacketRecord();
    private final Map<Element, boolean[]> elements = new HashMap<>();
    private final Map<Long, boolean[]> operations = new HashMap<>();
    private final Map<String, Set<Long>> counters = new HashMap<>();
    private long records;

    ReplicaCounts(long windowMillis, CounterKind kind) {
        this.windowMillis = windowMillis;
        this.kind = kind;
    }

    /** Takes a record of a replica's input. */
    void input(int replica, byte[] value) throws IOException {
        DecodeResult result = codec.decode(value, record);
        if (!result.isOk()) {
            throw new IOException("a record of the input cannot be read: " + result.code());
        }
        records++;
        long time = record.timestampMillis();
        long operation = record.operationId();
        long window = time - Math.floorMod(time, windowMillis);
        elements.computeIfAbsent(new Element(window, operation), e -> new boolean[2])[replica] =
                true;
        operations.computeIfAbsent(operation, o -> new boolean[2])[replica] = true;
        counters.computeIfAbsent(kind.format(kind.keyOf(record)), c -> new HashSet<>())
                .add(operation);
    }

    /** Returns the records of both inputs. */
    long records() {
        return records;
    }

    /** Returns the operations of windows that either replica got. */
    long elements() {
        return elements.size();
    }

    /** Returns how many of them this replica did not get. */
    long lackedBy(int replica) {
        return elements.values().stream().filter(got -> !got[replica]).count();
    }

    /** Returns the operations that either replica got. */
    long operations() {
        return operations.size();
    }

    /** Returns how many of them this replica did not get, in any window. */
    long missedBy(int replica) {
        return operations.values().stream().filter(got -> !got[replica]).count();
    }

    /** Returns the counters. */
    long counters() {
        return counters.size();
    }

    /**
     * Returns how many counters are not what they have to be, or are unknown.
     *
     * @param values of a replica, by the names of the counters
     */
    long wrong(Map<String, Long> values) {
        long wrong = values.keySet().stream().filter(name -> !counters.containsKey(name)).count();
        for (Map.Entry<String, Set<Long>> counter : counters.entrySet()) {
            long value = values.getOrDefault(counter.getKey(), 0L);
            wrong += value == counter.getValue().size() ? 0 : 1;
        }
        return wrong;
    }
}
