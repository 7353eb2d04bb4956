/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The committed records of a topic, from its beginning. Not thread-safe. */
public final class CommittedRecords implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(100);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final List<TopicPartition> partitions;

    CommittedRecords(String bootstrapServers, String topic) {
        consumer =
                new KafkaConsumer<>(
                        Map.of(
                                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                                bootstrapServers,
                                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                                "read_committed",
                                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                                "earliest",
                                ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                                5000),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer());
        partitions =
                consumer.partitionsFor(topic).stream()
                        .map(info -> new TopicPartition(topic, info.partition()))
                        .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
    }

    /** Number of records committed so far. */
    public static long count(String bootstrapServers, String topic) {
        long[] count = new long[1];
        try (CommittedRecords records = new CommittedRecords(bootstrapServers, topic)) {
            records.pollAll(each -> count[0]++);
        }
        return count[0];
    }

    /** Takes everything that is committed now. */
    void pollAll(Consumer<ConsumerRecord<byte[], byte[]>> taker) {
        Map<TopicPartition, Long> end = consumer.endOffsets(partitions);
        while (!reached(end)) {
            poll(taker);
        }
    }

    private boolean reached(Map<TopicPartition, Long> end) {
        return end.entrySet().stream()
                .allMatch(entry -> consumer.position(entry.getKey()) >= entry.getValue());
    }

    /** Takes what became visible, waiting briefly if there is nothing. */
    void poll(Consumer<ConsumerRecord<byte[], byte[]>> taker) {
        consumer.poll(POLL).forEach(taker);
    }

    @Override
    public void close() {
        consumer.close();
    }
}
