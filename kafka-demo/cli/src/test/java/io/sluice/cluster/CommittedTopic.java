/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** What a reader of committed records finds on a topic. */
final class CommittedTopic {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private CommittedTopic() {}

    /** Passes every committed record to {@code reader} as text, each partition in order. */
    static void read(String servers, String topic, BiConsumer<String, String> reader) {
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(
                        Map.of(
                                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                                servers,
                                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                                "read_committed"),
                        new StringDeserializer(),
                        new StringDeserializer())) {
            List<TopicPartition> partitions = partitions(consumer, topic);
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> end = consumer.endOffsets(partitions);
            long deadline = System.nanoTime() + LIMIT.toNanos();
            while (end.entrySet().stream()
                    .anyMatch(entry -> consumer.position(entry.getKey()) < entry.getValue())) {
                consumer.poll(POLL).forEach(record -> reader.accept(record.key(), record.value()));
                if (System.nanoTime() > deadline) {
                    throw new AssertionError(
                            topic + " was not read to " + end + " within " + LIMIT.toSeconds());
                }
            }
        }
    }

    /** Whether {@code group} has committed the end of every partition of {@code topic}. */
    static boolean isConsumed(Admin admin, String servers, String topic, String group)
            throws IOException, InterruptedException {
        Map<TopicPartition, OffsetAndMetadata> committed;
        try {
            committed = admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
        } catch (ExecutionException e) {
            throw new IOException("no offsets of " + group, e);
        }
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(
                        Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, servers),
                        new StringDeserializer(),
                        new StringDeserializer())) {
            return consumer.endOffsets(partitions(consumer, topic)).entrySet().stream()
                    .allMatch(
                            end ->
                                    committed.containsKey(end.getKey())
                                            && committed.get(end.getKey()).offset()
                                                    == end.getValue());
        }
    }

    private static List<TopicPartition> partitions(
            KafkaConsumer<String, String> consumer, String topic) {
        return consumer.partitionsFor(topic).stream()
                .map(partition -> new TopicPartition(topic, partition.partition()))
                .toList();
    }
}
