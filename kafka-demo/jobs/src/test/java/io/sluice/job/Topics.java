/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Writes to topics and reads from them for tests. */
public final class Topics {
    private static final Duration OPEN_TRANSACTION = Duration.ofMinutes(1);

    private Topics() {}

    /** A producer that takes records of any size. */
    public static KafkaProducer<byte[], byte[]> producer(EmbeddedKafka kafka) {
        return producer(kafka, Map.of());
    }

    /** Like {@link #producer(EmbeddedKafka)}, with settings. */
    public static KafkaProducer<byte[], byte[]> producer(
            EmbeddedKafka kafka, Map<String, Object> settings) {
        Map<String, Object> all = new HashMap<>(settings);
        all.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers());
        all.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, Integer.toString(16 << 20));
        return new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /**
     * All committed records of a topic, partition by partition. A commit is acknowledged before its
     * mark is on every partition, so this waits until no transaction is open.
     */
    public static List<ConsumerRecord<byte[], byte[]>> readAll(EmbeddedKafka kafka, String topic) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> committed = consumer(kafka, "read_committed");
                KafkaConsumer<byte[], byte[]> all = consumer(kafka, "read_uncommitted")) {
            List<TopicPartition> partitions = partitions(committed, topic);
            Map<TopicPartition, Long> ends = all.endOffsets(partitions);
            committed.assign(partitions);
            committed.seekToBeginning(partitions);
            long deadline = System.nanoTime() + OPEN_TRANSACTION.toNanos();
            while (partitions.stream().anyMatch(p -> committed.position(p) < ends.get(p))) {
                if (System.nanoTime() > deadline) {
                    throw new AssertionError("a transaction on topic " + topic + " stays open");
                }
                committed.poll(Duration.ofMillis(100)).forEach(records::add);
            }
        }
        return records;
    }

    private static List<TopicPartition> partitions(KafkaConsumer<?, ?> consumer, String topic) {
        return consumer.partitionsFor(topic).stream()
                .map(info -> new TopicPartition(topic, info.partition()))
                .toList();
    }

    /** How many records and marks of transactions a topic has, committed or not. */
    static long written(EmbeddedKafka kafka, String topic) {
        try (KafkaConsumer<byte[], byte[]> all = consumer(kafka, "read_uncommitted")) {
            return all.endOffsets(partitions(all, topic)).values().stream().mapToLong(n -> n).sum();
        }
    }

    private static KafkaConsumer<byte[], byte[]> consumer(EmbeddedKafka kafka, String isolation) {
        return new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        kafka.bootstrapServers(),
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                        isolation),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    /** The last values of the counters on a topic. */
    public static Map<String, Long> counters(EmbeddedKafka kafka, String topic) throws IOException {
        Map<String, Long> values = new HashMap<>();
        for (ConsumerRecord<byte[], byte[]> record : readAll(kafka, topic)) {
            values.put(
                    new String(record.key(), UTF_8),
                    new ObjectMapper().readTree(record.value()).path("value").asLong());
        }
        return values;
    }

    /** The sum of the counters on a topic. */
    public static long sum(EmbeddedKafka kafka, String topic) throws IOException {
        return counters(kafka, topic).values().stream().mapToLong(n -> n).sum();
    }

    /** A header's text. */
    public static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return new String(record.headers().lastHeader(name).value(), UTF_8);
    }
}
