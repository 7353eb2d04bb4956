/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.cli.Sluice;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.job.DeadLetterSchema;
import io.sluice.job.JobTopics;
import io.sluice.kafka.Brokers;
import io.sluice.record.CounterKind;
import io.sluice.record.DecodeResult;
import io.sluice.replay.ReplayTopic;
import io.sluice.replay.Truth;
import io.sluice.replay.TruthFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CountersJobIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir private Path folder;

    @Test
    void foreignBytesGoToTheDeadLettersAndDoNotFailTheJob() throws Exception {
        byte[] text = "GET / HTTP/1.1, and so on for long enough to be a record".getBytes(UTF_8);
        byte[] key = "key".getBytes(UTF_8);
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder);
                LocalFlink flink = LocalFlink.start(folder, 1, 1)) {
            ReplayTopic.create(Brokers.at(kafka.bootstrapServers()), "packets", 1, LIMIT);
            send(kafka, new ProducerRecord<>("packets", key, text));
            send(kafka, new ProducerRecord<>("packets", null, new byte[] {1, 2, 3}));
            send(kafka, new ProducerRecord<>("packets", key, null));
            CountersOptions options =
                    CountersOptions.parse(
                            "--bootstrap-servers=" + kafka.bootstrapServers(), "--bounded");
            JobTopics.prepare(options);
            StreamExecutionEnvironment env =
                    StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
            env.setParallelism(1);
            CountersJob.define(env, options);
            flink.submit(env, "foreign bytes").awaitFinished(LIMIT);

            List<ConsumerRecord<byte[], byte[]>> letters = readAll(kafka, options.deadLetterTopic);
            assertThat(letters).hasSize(3);
            assertThat(letters.get(0).value()).isEqualTo(text);
            assertThat(letters.get(0).key()).isEqualTo(key);
            assertThat(letters.get(2).value()).isNull();
            assertThat(letters)
                    .extracting(letter -> header(letter, DeadLetterSchema.REASON))
                    .containsExactly(
                            DecodeResult.FOREIGN.code(),
                            DecodeResult.TOO_SHORT.code(),
                            DecodeResult.TOO_SHORT.code());
            assertThat(letters)
                    .extracting(letter -> header(letter, DeadLetterSchema.OFFSET))
                    .containsExactly("0", "1", "2");
            assertThat(header(letters.get(0), DeadLetterSchema.TOPIC)).isEqualTo("packets");
            assertThat(header(letters.get(0), DeadLetterSchema.PARTITION)).isEqualTo("0");
            assertThat(readAll(kafka, options.outputTopic)).isEmpty();
        }
    }

    @Test
    void aCaptureIsReplayedAndCountedFromTheCommandLine() throws Exception {
        Path capture = folder.resolve("some.pcap");
        Path truthFile = folder.resolve("truth.json");
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder)) {
            String servers = "--bootstrap-servers=" + kafka.bootstrapServers();

            assertThat(Sluice.run("generate", capture.toString(), "--packets=3000")).isZero();
            assertThat(
                            Sluice.run(
                                    "replay",
                                    capture.toString(),
                                    servers,
                                    "--partitions=1",
                                    "--retries=0.3",
                                    "--truth=" + truthFile))
                    .isZero();
            assertThat(Sluice.run("job", "counters", servers, "--bounded", "--count-by=service"))
                    .isZero();

            Truth truth = TruthFile.read(truthFile);
            Map<String, Long> expected = new HashMap<>();
            truth.counters(CounterKind.SERVICE)
                    .forEach(
                            (key, operations, bytes, sends, beyond) ->
                                    expected.put(CounterKind.SERVICE.format(key), operations));
            Map<String, Long> counted = new HashMap<>();
            for (ConsumerRecord<byte[], byte[]> value : readAll(kafka, "counters")) {
                JsonNode json = new ObjectMapper().readTree(value.value());
                counted.put(new String(value.key(), UTF_8), json.path("value").asLong());
            }
            // At one false positive in a million, 3000 operations have none.
            assertThat(counted).isEqualTo(expected);
            List<ConsumerRecord<byte[], byte[]>> duplicates = readAll(kafka, "counters-duplicates");
            assertThat(duplicates).hasSize(Math.toIntExact(truth.summary().retriesWithinWindow()));
            for (ConsumerRecord<byte[], byte[]> duplicate : duplicates) {
                long captured =
                        new ObjectMapper().readTree(duplicate.value()).path("timestamp").asLong();
                assertThat(Instant.ofEpochMilli(captured))
                        .isBetween(
                                Instant.parse("2018-03-15T13:00:00Z"),
                                Instant.parse("2018-03-15T13:02:00Z"));
            }
        }
    }

    @Test
    void onePacketDecadesAheadDoesNotStopTheEventTimeOfAJob() throws Exception {
        Path capture = folder.resolve("wild.pcap");
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder);
                LocalFlink flink = LocalFlink.start(folder, 1, 1)) {
            String servers = "--bootstrap-servers=" + kafka.bootstrapServers();
            int packets = 20_000;
            assertThat(Sluice.run("generate", capture.toString(), "--packets=" + packets)).isZero();
            moveTheFirstPacketTo(Instant.parse("2100-01-01T00:00:00Z"), capture);
            assertThat(Sluice.run("replay", capture.toString(), servers, "--partitions=1"))
                    .isZero();

            CountersOptions options = CountersOptions.parse(servers, "--bounded");
            JobTopics.prepare(options);
            StreamExecutionEnvironment env =
                    StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
            env.setParallelism(1);
            env.getConfig().setAutoWatermarkInterval(1);
            CountersJob.define(env, options);
            flink.submit(env, "wild time").awaitFinished(LIMIT);

            Map<String, Long> counted = new HashMap<>();
            for (ConsumerRecord<byte[], byte[]> value : readAll(kafka, options.outputTopic)) {
                JsonNode json = new ObjectMapper().readTree(value.value());
                counted.put(new String(value.key(), UTF_8), json.path("value").asLong());
            }
            assertThat(readAll(kafka, options.lateTopic)).isEmpty();
            assertThat(counted.values().stream().mapToLong(n -> n).sum()).isEqualTo(packets);
        }
    }

    /** In a classic capture file of little-endian numbers. */
    private static void moveTheFirstPacketTo(Instant time, Path capture) throws IOException {
        int fileHeaderBytes = 24;
        byte[] bytes = Files.readAllBytes(capture);
        ByteBuffer.wrap(bytes)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(fileHeaderBytes, (int) time.getEpochSecond());
        Files.write(capture, bytes);
    }

    @Test
    void aMissingInputTopicIsToldBeforeTheJobStarts() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder)) {
            CountersOptions options =
                    CountersOptions.parse(
                            "--bootstrap-servers=" + kafka.bootstrapServers(),
                            "--input-topic=nothing");

            assertThatThrownBy(() -> JobTopics.prepare(options))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("'nothing' does not exist")
                    .hasMessageContaining("--input-topic");
        }
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return new String(record.headers().lastHeader(name).value(), UTF_8);
    }

    private static void send(EmbeddedKafka kafka, ProducerRecord<byte[], byte[]> record)
            throws Exception {
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.bootstrapServers()),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            producer.send(record).get();
        }
    }

    private static List<ConsumerRecord<byte[], byte[]>> readAll(EmbeddedKafka kafka, String topic) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        TopicPartition partition = new TopicPartition(topic, 0);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        Map.of(
                                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                                kafka.bootstrapServers(),
                                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                                "read_committed"),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            while (consumer.position(partition) < end) {
                consumer.poll(Duration.ofSeconds(10)).forEach(records::add);
            }
        }
        return records;
    }
}
