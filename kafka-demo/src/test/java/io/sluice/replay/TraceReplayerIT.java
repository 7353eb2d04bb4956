/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.capture.TraceGenerator;
import io.sluice.capture.TraceOptions;
import io.sluice.local.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The replayer and a real broker. */
class TraceReplayerIT {
    private static final int PACKETS = 50_000;
    private static final int PARTITIONS = 3;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Faults FAULTS = Faults.builder().seed(2).retryShare(0.1).build();

    @TempDir private static Path directory;
    private static Path capture;
    private static EmbeddedKafka kafka;

    @BeforeAll
    static void start() throws IOException {
        capture = directory.resolve("trace.pcap.gz");
        TraceGenerator.write(TraceOptions.builder(PACKETS).seed(6).build(), capture);
        kafka = EmbeddedKafka.start(directory);
    }

    @AfterAll
    static void stop() throws Exception {
        if (kafka != null) {
            kafka.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"lz4", "zstd"})
    void everySendIsOnTheTopicOnceAndFlowsStayTogether(String compression) throws IOException {
        String topic = "packets-" + compression;
        String bootstrap = kafka.bootstrapServers();
        assertThat(ReplayTopic.create(bootstrap, topic, PARTITIONS, TIMEOUT)).isTrue();
        assertThat(ReplayTopic.create(bootstrap, topic, PARTITIONS, TIMEOUT)).isFalse();
        ReplayOptions options =
                ReplayOptions.builder(bootstrap, topic)
                        .faults(FAULTS)
                        .malformed(60)
                        .compression(compression)
                        .brokerTimeout(TIMEOUT)
                        .build();

        Truth truth = new TraceReplayer(options, progress -> {}).replay(capture);

        Map<Long, Integer> sends = new HashMap<>();
        Map<Long, Integer> partitionOfFlow = new HashMap<>();
        long malformed = 0;
        PacketRecord operation = new PacketRecord();
        PacketRecordCodec codec = new PacketRecordCodec();
        for (ConsumerRecord<byte[], byte[]> record :
                readAll(topic, truth.summary().recordsOnTopic())) {
            if (!codec.decode(record.value(), operation).isOk()) {
                malformed++;
                continue;
            }
            sends.merge(operation.operationId(), 1, Integer::sum);
            Integer other = partitionOfFlow.putIfAbsent(operation.flowHash(), record.partition());
            assertThat(other == null || other == record.partition()).isTrue();
        }
        assertThat(malformed).isEqualTo(60);
        assertThat(sends).hasSize(PACKETS);
        sends.forEach((id, count) -> assertThat(count).isEqualTo(FAULTS.sends(id)));
        assertThat(partitionOfFlow.values()).contains(0, 1, 2);
    }

    @Test
    void aMissingTopicIsNamed() {
        ReplayOptions options =
                ReplayOptions.builder(kafka.bootstrapServers(), "absent")
                        .brokerTimeout(TIMEOUT)
                        .build();

        assertThatThrownBy(() -> new TraceReplayer(options, progress -> {}).replay(capture))
                .isInstanceOf(ReplayException.class)
                .hasMessageContaining("topic 'absent' does not exist");
    }

    /** Reads until {@code count} records are there, or none come for the timeout. */
    private static List<ConsumerRecord<byte[], byte[]>> readAll(String topic, long count) {
        List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
        List<TopicPartition> partitions =
                IntStream.range(0, PARTITIONS)
                        .mapToObj(partition -> new TopicPartition(topic, partition))
                        .toList();
        Map<String, Object> settings =
                Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers());
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            assertThat(ends.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(count);
            while (all.size() < count) {
                var polled = consumer.poll(TIMEOUT);
                assertThat(polled.isEmpty()).as("records missing").isFalse();
                polled.forEach(all::add);
            }
        }
        return all;
    }
}
