/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.pace;

import java.util.Collection;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.fetcher.SplitFetcher;
import org.apache.flink.connector.base.source.reader.fetcher.SplitFetcherTask;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;
import org.apache.flink.connector.base.source.reader.synchronization.FutureCompletingBlockingQueue;
import org.apache.flink.connector.kafka.source.reader.KafkaPartitionSplitReader;
import org.apache.flink.connector.kafka.source.reader.fetcher.KafkaSourceFetcherManager;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;

/**
 * Commits offsets with the consumer that reads. The connector's own manager knows its first
 * consumer only, which ends when all partitions that it was given have: from then on each
 * checkpoint would make one more, and log its metrics as known already.
 */
final class ReadingFetcherManager extends KafkaSourceFetcherManager {
    ReadingFetcherManager(
            FutureCompletingBlockingQueue<RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>>>
                    queue,
            Supplier<SplitReader<ConsumerRecord<byte[], byte[]>, KafkaPartitionSplit>> readers,
            Consumer<Collection<String>> finished) {
        super(queue, readers, finished);
    }

    @Override
    public void commitOffsets(
            Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        SplitFetcher<ConsumerRecord<byte[], byte[]>, KafkaPartitionSplit> reading =
                getRunningFetcher();
        if (offsets.isEmpty() || reading == null) {
            super.commitOffsets(offsets, callback);
            return;
        }
        KafkaPartitionSplitReader reader = (KafkaPartitionSplitReader) reading.getSplitReader();
        reading.enqueueTask(
                new SplitFetcherTask() {
                    @Override
                    public boolean run() {
                        reader.notifyCheckpointComplete(offsets, callback);
                        return true;
                    }

                    @Override
                    public void wakeUp() {
                        // It does not wait for the broker.
                    }
                });
    }
}
