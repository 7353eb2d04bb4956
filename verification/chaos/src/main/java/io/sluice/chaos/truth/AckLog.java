/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.truth;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What the broker has acknowledged, on disk and in memory: topic, partition and offset. These
 * records must be on their topic. Thread-safe.
 */
public final class AckLog implements AutoCloseable {
    private final DataOutputStream file;
    private final Map<String, Map<Integer, BitSet>> acknowledged = new HashMap<>();
    private long sent;
    private long undetermined;
    private final Set<String> reasons = new TreeSet<>();

    /** Writes {@code file}. */
    public AckLog(Path file) throws IOException {
        this.file = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)));
    }

    /** Notes a record that is sent. */
    public synchronized void sent() {
        sent++;
    }

    /** Notes a record that the broker did not take, as far as the producer knows. */
    public synchronized void undetermined(Exception why) {
        undetermined++;
        reasons.add(why.getClass().getSimpleName());
    }

    /** Notes an acknowledgement. */
    public synchronized void acknowledged(String topic, int partition, long offset) {
        acknowledged
                .computeIfAbsent(topic, t -> new TreeMap<>())
                .computeIfAbsent(partition, p -> new BitSet())
                .set(Math.toIntExact(offset));
        try {
            file.writeUTF(topic);
            file.writeInt(partition);
            file.writeLong(offset);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How many records were sent. */
    public synchronized long sentRecords() {
        return sent;
    }

    /** How many may or may not be on their topic. */
    public synchronized long undeterminedRecords() {
        return undetermined;
    }

    /** Why they were not acknowledged. */
    public synchronized Set<String> reasons() {
        return Set.copyOf(reasons);
    }

    /** The acknowledged offsets of a partition; a copy. */
    public synchronized BitSet offsets(String topic, int partition) {
        BitSet offsets = acknowledged.getOrDefault(topic, Map.of()).get(partition);
        return offsets == null ? new BitSet() : (BitSet) offsets.clone();
    }

    @Override
    public synchronized void close() throws IOException {
        file.close();
    }
}
