/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import io.sluice.flink.testkit.local.EmbeddedKafka;
import java.util.BitSet;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The ids of a copy of {@link OrdersTopic}, as a reader of committed records sees them, without any
 * part of the program that writes it. Not thread-safe.
 */
final class CommittedIds implements AutoCloseable {
    private final CommittedRecords records;
    private final BitSet seen = new BitSet();
    private long twice;

    CommittedIds(EmbeddedKafka kafka, String topic) {
        records = new CommittedRecords(kafka.bootstrapServers(), topic);
    }

    /**
     * What is there.
     *
     * @param missing ids of the input that are not in it
     * @param twice records whose id came before
     */
    record Count(long missing, long twice) {}

    /** Takes everything that is committed now. */
    void pollAll() {
        records.pollAll(record -> take(record, timestamp -> {}));
    }

    /**
     * Takes what became visible, waiting briefly if there is nothing.
     *
     * @param timestamps gets that of each record
     */
    void poll(LongConsumer timestamps) {
        records.poll(record -> take(record, timestamps));
    }

    private void take(ConsumerRecord<byte[], byte[]> record, LongConsumer timestamps) {
        int id = OrdersTopic.id(record.value());
        if (seen.get(id)) {
            twice++;
        }
        seen.set(id);
        timestamps.accept(record.timestamp());
    }

    /**
     * Whether the last new id of every partition of the input is there, if the input has {@code
     * ids} different ones: a program that reads each partition in order has committed them all.
     */
    boolean hasLastOf(int ids) {
        return seen.nextClearBit(ids - OrdersTopic.PARTITIONS) >= ids;
    }

    /** Compares with an input of {@code ids} different ids. */
    Count count(int ids) {
        return new Count(ids - seen.cardinality(), twice);
    }

    @Override
    public void close() {
        records.close();
    }
}
