/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.check;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads topics from the beginning to the end, committed records only. */
public final class TopicReader {
    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private final String servers;

    /** Reads from {@code servers}. */
    public TopicReader(String servers) {
        this.servers = servers;
    }

    /**
     * Gives every committed record of {@code topic} to {@code taker}.
     *
     * @throws IOException if the end is not reached: a transaction is open, and hides it; or if
     *     there is no such topic, which must not pass for an empty one
     */
    public void read(String topic, Consumer<ConsumerRecord<byte[], byte[]>> taker)
            throws IOException {
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        Map.of(
                                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                                servers,
                                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                                "read_committed",
                                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                                false,
                                ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                                5000),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = partitions(consumer, topic);
            if (partitions.isEmpty()) {
                throw new IOException("there is no topic " + topic);
            }
            Map<TopicPartition, Long> ends = ends(partitions);
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            long deadline = System.nanoTime() + LIMIT.toNanos();
            while (!ends.entrySet().stream()
                    .allMatch(end -> consumer.position(end.getKey()) >= end.getValue())) {
                consumer.poll(POLL).forEach(taker);
                if (System.nanoTime() - deadline > 0) {
                    throw new IOException(
                            "topic "
                                    + topic
                                    + " was not readable to its end: an open transaction hides"
                                    + " what comes after it");
                }
            }
        }
    }

    private static List<TopicPartition> partitions(
            KafkaConsumer<byte[], byte[]> consumer, String topic) {
        return consumer.partitionsFor(topic).stream()
                .map(info -> new TopicPartition(topic, info.partition()))
                .toList();
    }

    /** The real ends, not those of what is committed. */
    private Map<TopicPartition, Long> ends(List<TopicPartition> partitions) throws IOException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
            return admin
                    .listOffsets(
                            partitions.stream()
                                    .collect(Collectors.toMap(p -> p, p -> OffsetSpec.latest())),
                            new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED))
                    .all()
                    .get()
                    .entrySet()
                    .stream()
                    .collect(Collectors.toMap(Map.Entry::getKey, end -> end.getValue().offset()));
        } catch (ExecutionException e) {
            throw new IOException("the broker does not say where topics end", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
