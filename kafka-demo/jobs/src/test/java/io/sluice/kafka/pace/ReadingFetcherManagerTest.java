/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.pace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.source.reader.RecordsBySplits;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsChange;
import org.apache.flink.connector.base.source.reader.synchronization.FutureCompletingBlockingQueue;
import org.apache.flink.connector.kafka.source.metrics.KafkaSourceReaderMetrics;
import org.apache.flink.connector.kafka.source.reader.KafkaPartitionSplitReader;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReadingFetcherManagerTest {
    private static final TopicPartition PARTITION = new TopicPartition("topic", 0);

    private final List<Reader> made = new CopyOnWriteArrayList<>();

    @Test
    void theConsumerThatReadsCommitsAlsoWhenTheFirstHasEnded() throws Exception {
        FutureCompletingBlockingQueue<RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>>> queue =
                new FutureCompletingBlockingQueue<>();
        ReadingFetcherManager manager =
                new ReadingFetcherManager(queue, this::reader, finished -> {});
        try {
            manager.addSplits(List.of(new KafkaPartitionSplit(PARTITION, 0)));
            takeUntil(manager, manager::maybeShutdownFinishedFetchers);
            manager.addSplits(List.of(new KafkaPartitionSplit(PARTITION, 1)));
            for (int i = 1; i <= 3; i++) {
                Map<TopicPartition, OffsetAndMetadata> offsets =
                        Map.of(PARTITION, new OffsetAndMetadata(i));
                CompletableFuture<Map<TopicPartition, OffsetAndMetadata>> committed =
                        new CompletableFuture<>();
                manager.commitOffsets(offsets, (ofThose, failure) -> committed.complete(ofThose));
                takeUntil(manager, committed::isDone);
                assertThat(committed.join()).isEqualTo(offsets);
            }
            assertThat(made).hasSize(2);
        } finally {
            manager.close(30_000);
        }
    }

    /** As the task does, without which the queue fills up. */
    private static void takeUntil(ReadingFetcherManager manager, BooleanSupplier done)
            throws InterruptedException {
        while (!done.getAsBoolean()) {
            if (Thread.interrupted()) {
                throw new InterruptedException("the time of the test is over");
            }
            manager.checkErrors();
            RecordsWithSplitIds<?> records = manager.getQueue().poll();
            if (records != null) {
                records.recycle();
            }
            Thread.onSpinWait();
        }
    }

    private Reader reader() {
        Reader reader = new Reader(made.isEmpty());
        made.add(reader);
        return reader;
    }

    /** Ends its partition at once, or reads without end, and finds no records. */
    // The interface allows close() to be interrupted.
    @SuppressWarnings("try")
    private static final class Reader extends KafkaPartitionSplitReader {
        private final boolean ends;
        private volatile String split;

        Reader(boolean ends) {
            super(settings(), new Context(), metrics());
            this.ends = ends;
        }

        @Override
        public void handleSplitsChanges(SplitsChange<KafkaPartitionSplit> change) {
            split = change.splits().get(0).splitId();
        }

        @Override
        public RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> fetch() {
            return new RecordsBySplits<>(Map.of(), ends ? Set.of(split) : Set.of());
        }

        @Override
        public void wakeUp() {
            // It never waits.
        }

        @Override
        public void notifyCheckpointComplete(
                Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
            callback.onComplete(offsets, null);
        }
    }

    private static Properties settings() {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", "localhost:1");
        settings.put("key.deserializer", ByteArrayDeserializer.class.getName());
        settings.put("value.deserializer", ByteArrayDeserializer.class.getName());
        return settings;
    }

    private static KafkaSourceReaderMetrics metrics() {
        return new KafkaSourceReaderMetrics(
                UnregisteredMetricsGroup.createSourceReaderMetricGroup());
    }

    private static final class Context implements SourceReaderContext {
        @Override
        public SourceReaderMetricGroup metricGroup() {
            return UnregisteredMetricsGroup.createSourceReaderMetricGroup();
        }

        @Override
        public Configuration getConfiguration() {
            return new Configuration();
        }

        @Override
        public String getLocalHostName() {
            return "localhost";
        }

        @Override
        public int getIndexOfSubtask() {
            return 0;
        }

        @Override
        public void sendSplitRequest() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void sendSourceEventToCoordinator(SourceEvent event) {
            throw new UnsupportedOperationException();
        }

        @Override
        public UserCodeClassLoader getUserCodeClassLoader() {
            throw new UnsupportedOperationException();
        }
    }
}
