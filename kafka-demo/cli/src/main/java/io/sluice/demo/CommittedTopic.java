/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads a topic from beginning to end as a reader of committed transactions sees it. */
final class CommittedTopic {
    private static final Duration POLL = Duration.ofMillis(500);

    /** If no record comes for this long, the broker is taken for dead. */
    private static final Duration SILENCE = Duration.ofSeconds(30);

    /** Takes one record. */
    @FunctionalInterface
    interface Reader {
        void accept(ConsumerRecord<byte[], byte[]> record) throws IOException;
    }

    private CommittedTopic() {}

    /**
     * Passes every committed record of {@code topic} to {@code reader}; the records of each
     * partition in order.
     *
     * @return how many there were
     */
    static long read(String bootstrapServers, String topic, Reader reader) throws IOException {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(bootstrapServers)) {
            List<TopicPartition> partitions =
                    consumer.partitionsFor(topic).stream()
                            .map(info -> new TopicPartition(topic, info.partition()))
                            .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            long count = 0;
            long heard = System.nanoTime();
            // The position also passes transaction markers, which are not records.
            while (ends.entrySet().stream()
                    .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
                for (ConsumerRecord<byte[], byte[]> record : records) {
                    reader.accept(record);
                    count++;
                }
                if (!records.isEmpty()) {
                    heard = System.nanoTime();
                } else if (System.nanoTime() - heard > SILENCE.toNanos()) {
                    throw new IOException(
                            "topic '"
                                    + topic
                                    + "' could not be read to its end: no record for "
                                    + SILENCE.toSeconds()
                                    + " s");
                }
            }
            return count;
        } catch (KafkaException e) {
            throw new IOException("topic '" + topic + "' cannot be read: " + e.getMessage(), e);
        }
    }

    private static KafkaConsumer<byte[], byte[]> consumer(String bootstrapServers) {
        return new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                        "read_committed",
                        ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                        "10000",
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                        "false"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }
}
