/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.pace;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsChange;
import org.apache.flink.connector.kafka.source.metrics.KafkaSourceReaderMetrics;
import org.apache.flink.connector.kafka.source.reader.KafkaPartitionSplitReader;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads no partition that its {@link Gate} holds. The connector's own way to pause a partition
 * fails the job if the partition was finished in the meantime, as happens in each bounded run
 * (FLINK-39728); here the fetching thread itself looks what is held, before each request.
 */
// The interface allows close() to be interrupted; so does the connector's reader.
@SuppressWarnings("try")
final class HoldingSplitReader extends KafkaPartitionSplitReader {

    /** What is held, for one subtask. Thread-safe. */
    static final class Gate {
        private volatile Set<TopicPartition> held = Set.of();
        private volatile boolean fetching;
        private volatile Runnable wake = () -> {};

        /** Holds these partitions, and no others. */
        void hold(Set<TopicPartition> partitions) {
            Set<TopicPartition> before = held;
            held = Set.copyOf(partitions);
            // It may be waiting for records of the others.
            if (fetching && !partitions.containsAll(before)) {
                wake.run();
            }
        }
    }

    private final Gate gate;
    private final Map<String, KafkaPartitionSplit> assigned = new HashMap<>();
    private Set<TopicPartition> applied = Set.of();

    HoldingSplitReader(
            Properties settings,
            SourceReaderContext context,
            KafkaSourceReaderMetrics metrics,
            Gate gate) {
        super(settings, context, metrics);
        this.gate = gate;
    }

    @Override
    public void handleSplitsChanges(SplitsChange<KafkaPartitionSplit> change) {
        // A reader that only commits offsets is given none, and must not be woken for another.
        gate.wake = this::wakeUp;
        change.splits().forEach(split -> assigned.put(split.splitId(), split));
        super.handleSplitsChanges(change);
    }

    @Override
    public RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> fetch() throws IOException {
        gate.fetching = true;
        try {
            apply(gate.held);
            RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> records = super.fetch();
            records.finishedSplits().forEach(assigned::remove);
            return records;
        } finally {
            gate.fetching = false;
        }
    }

    private void apply(Set<TopicPartition> held) {
        if (held == applied) {
            return;
        }
        List<KafkaPartitionSplit> pause = new ArrayList<>();
        List<KafkaPartitionSplit> resume = new ArrayList<>();
        for (KafkaPartitionSplit split : assigned.values()) {
            boolean is = held.contains(split.getTopicPartition());
            if (is != applied.contains(split.getTopicPartition())) {
                (is ? pause : resume).add(split);
            }
        }
        applied = held;
        super.pauseOrResumeSplits(pause, resume);
    }

    /** Flink's own alignment is off. */
    @Override
    public void pauseOrResumeSplits(
            Collection<KafkaPartitionSplit> pause, Collection<KafkaPartitionSplit> resume) {
        throw new UnsupportedOperationException(
                "partitions are held by their Gate, so watermark alignment must be off");
    }
}
