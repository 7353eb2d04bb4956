/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.process.Ports;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedKafkaIT {
    private static final TopicPartition PARTITION = new TopicPartition("numbers", 0);

    /** The more there are, the longer a broker takes to make them ready. */
    private static final int PARTITIONS = 100;

    @TempDir private Path parent;

    @Test
    void readersOfCommittedRecordsSeeCommittedTransactionsOnly() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(parent)) {
            kafka.createTopics(1, PARTITION.topic());
            try (KafkaProducer<byte[], byte[]> producer = transactionalProducer(kafka)) {
                producer.initTransactions();
                producer.beginTransaction();
                producer.send(record("aborted")).get();
                producer.abortTransaction();
                producer.beginTransaction();
                producer.send(record("committed")).get();
                producer.commitTransaction();
            }

            assertThat(readAll(kafka)).containsExactly("committed");
        }
    }

    @Test
    void aNewTopicTakesRecordsInEveryPartitionAtOnce() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(parent);
                KafkaProducer<byte[], byte[]> producer = producerThatTriesOnce(kafka)) {
            kafka.createTopics(PARTITIONS, PARTITION.topic());

            sendToEachPartition(producer);
        }
    }

    @Test
    void aTopicWithLeadersTakesRecordsInEveryPartitionAtOnce() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(parent);
                KafkaProducer<byte[], byte[]> producer = producerThatTriesOnce(kafka)) {
            try (Admin admin = kafka.admin()) {
                admin.createTopics(List.of(new NewTopic(PARTITION.topic(), PARTITIONS, (short) 1)))
                        .all()
                        .get();
                TopicLeaders.await(admin, PARTITION.topic(), PARTITIONS, Duration.ofSeconds(60));
            }

            sendToEachPartition(producer);
        }
    }

    private static void sendToEachPartition(KafkaProducer<byte[], byte[]> producer)
            throws Exception {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            sent.add(
                    producer.send(
                            new ProducerRecord<>(PARTITION.topic(), partition, null, new byte[1])));
        }
        for (Future<RecordMetadata> each : sent) {
            assertThat(each.get().offset()).isZero();
        }
    }

    private static KafkaProducer<byte[], byte[]> producerThatTriesOnce(EmbeddedKafka kafka) {
        return new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        kafka.bootstrapServers(),
                        ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                        false,
                        ProducerConfig.RETRIES_CONFIG,
                        0),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    @Test
    void aTopicThatExistsIsAnError() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(parent)) {
            kafka.createTopics(1, PARTITION.topic());

            assertThatThrownBy(() -> kafka.createTopics(1, PARTITION.topic()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("numbers")
                    .hasMessageContaining("already exists");
        }
    }

    @Test
    void anOpenedBrokerGoesOnWithItsDataWhenItIsOpenedAgain() throws Exception {
        Path data = parent.resolve("data");
        try (EmbeddedKafka kafka = open(data)) {
            kafka.createTopics(1, PARTITION.topic());
            try (KafkaProducer<byte[], byte[]> producer = producerThatTriesOnce(kafka)) {
                producer.send(record("kept")).get();
            }
        }
        try (EmbeddedKafka kafka = open(data)) {
            assertThat(readAll(kafka)).containsExactly("kept");
        }
        assertThat(data).isNotEmptyDirectory();
    }

    private static EmbeddedKafka open(Path data) throws IOException {
        int port = Ports.free(1)[0];
        return EmbeddedKafka.open(data, port, port);
    }

    @Test
    void closingRemovesTheDataAndMayBeRepeated() throws Exception {
        EmbeddedKafka kafka = EmbeddedKafka.start(parent);
        assertThat(contents(parent)).isNotEmpty();

        kafka.close();
        kafka.close();

        assertThat(contents(parent)).isEmpty();
        assertThat(kafka.failed()).isNotDone();
    }

    private static List<Path> contents(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    private static KafkaProducer<byte[], byte[]> transactionalProducer(EmbeddedKafka kafka) {
        return new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        kafka.bootstrapServers(),
                        ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                        "test"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    private static ProducerRecord<byte[], byte[]> record(String text) {
        return new ProducerRecord<>(PARTITION.topic(), text.getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> readAll(EmbeddedKafka kafka) {
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        Map.of(
                                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                                kafka.bootstrapServers(),
                                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                                "read_committed"),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            consumer.assign(List.of(PARTITION));
            consumer.seekToBeginning(List.of(PARTITION));
            long end = consumer.endOffsets(List.of(PARTITION)).get(PARTITION);
            while (consumer.position(PARTITION) < end) {
                consumer.poll(Duration.ofSeconds(10))
                        .forEach(r -> values.add(new String(r.value(), StandardCharsets.UTF_8)));
            }
        }
        return values;
    }
}
