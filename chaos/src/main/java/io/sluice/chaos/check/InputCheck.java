/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.check;

import io.sluice.chaos.truth.AckLog;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Whether an input topic has all that its broker acknowledged; if not, no job is to blame. */
public final class InputCheck {
    private final Map<Integer, BitSet> found = new TreeMap<>();
    private long records;

    /** Takes a record of the topic. */
    public void take(ConsumerRecord<byte[], byte[]> record) {
        records++;
        found.computeIfAbsent(record.partition(), p -> new BitSet())
                .set(Math.toIntExact(record.offset()));
    }

    /** How many records were taken. */
    public long records() {
        return records;
    }

    /**
     * Compares.
     *
     * @throws IllegalStateException if the broker lost what it had acknowledged
     */
    public void judge(String topic, int partitions, AckLog log) {
        for (int partition = 0; partition < partitions; partition++) {
            BitSet missing = log.offsets(topic, partition);
            missing.andNot(found.getOrDefault(partition, new BitSet()));
            if (!missing.isEmpty()) {
                throw new IllegalStateException(
                        "the broker lost "
                                + missing.cardinality()
                                + " acknowledged records of topic "
                                + topic
                                + ", the first at partition "
                                + partition
                                + ", offset "
                                + missing.nextSetBit(0));
            }
        }
    }
}
