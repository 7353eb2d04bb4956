/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.check;

import io.sluice.chaos.truth.AckLog;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Whether an input topic has all that its broker acknowledged; if not, no job is to blame. */
public final class InputCheck {
    private static final double MAX_UNDETERMINED = 1e-3;

    private final Map<Integer, BitSet> found = new TreeMap<>();
    private long records;

    /** Takes a record of the topic. */
    public void take(ConsumerRecord<byte[], byte[]> record) {
        records++;
        found.computeIfAbsent(record.partition(), p -> new BitSet())
                .set(Math.toIntExact(record.offset()));
    }

    /**
     * A record whose sending failed may or may not be on its topic, so nothing is judged of it:
     * that may be one in a thousand at most.
     */
    public static void judgeUndetermined(AckLog log, CheckResult verdict) {
        verdict.number("undetermined", log.undeterminedRecords());
        if (log.undeterminedRecords() > 0) {
            verdict.number("because", log.reasons());
        }
        if (log.undeterminedRecords() > MAX_UNDETERMINED * log.sentRecords()) {
            verdict.broken(
                    "more than one record in a thousand was not acknowledged, and so not judged",
                    log.undeterminedRecords() + " of " + log.sentRecords());
        }
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
