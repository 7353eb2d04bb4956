/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.capture.CaptureSet;
import io.sluice.capture.traffic.LoadGenerator;
import io.sluice.capture.traffic.LoadOptions;
import io.sluice.cli.Sluice;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.kafka.Brokers;
import io.sluice.record.PacketRecord;
import io.sluice.record.PacketRecordCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
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

    /** Where a replay is cut. */
    private static final int CUT = 30_000;

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Faults FAULTS = Faults.builder().seed(2).retryShare(0.1).build();

    @TempDir private static Path directory;
    private static Path capture;
    private static EmbeddedKafka kafka;

    @BeforeAll
    static void start() throws IOException {
        capture = directory.resolve("trace.pcap.gz");
        LoadGenerator.write(LoadOptions.builder(PACKETS).seed(6).build(), capture);
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
        assertThat(ReplayTopic.create(Brokers.at(bootstrap), topic, PARTITIONS, TIMEOUT)).isTrue();
        assertThat(ReplayTopic.create(Brokers.at(bootstrap), topic, PARTITIONS, TIMEOUT)).isFalse();
        ReplayOptions options =
                ReplayOptions.builder(Brokers.at(bootstrap), topic)
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
        List<ConsumerRecord<byte[], byte[]>> all = readAll(topic);
        assertThat(all).hasSize((int) truth.summary().recordsOnTopic());
        for (ConsumerRecord<byte[], byte[]> record : all) {
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
                ReplayOptions.builder(Brokers.at(kafka.bootstrapServers()), "absent")
                        .brokerTimeout(TIMEOUT)
                        .build();

        assertThatThrownBy(() -> new TraceReplayer(options, progress -> {}).replay(capture))
                .isInstanceOf(ReplayException.class)
                .hasMessageContaining("topic 'absent' does not exist");
    }

    /*
     * A replay that is cut in the middle and continues from its resume file leaves on the topic
     * what an undisturbed one does: in each partition all records in order, and twice only records
     * that were written but not known to be acknowledged.
     */

    @Test
    void aReplayThatFailedGoesOnWithWhatWasNotAcknowledged() throws IOException {
        ReplayOptions whole = options("failed-whole");
        new TraceReplayer(whole, progress -> {}).replay(capture);
        ReplayOptions options = options("failed");
        CaptureSet captures = CaptureSet.of(capture);
        Path file = directory.resolve("failed.json");
        ResumeFile before = ResumeFile.open(file, captures, options, identity("failed"));
        TraceReplayer.Gate cut =
                record -> {
                    if (record == CUT) {
                        throw new IOException("cut here");
                    }
                };

        assertThatThrownBy(
                        () ->
                                new TraceReplayer(options, TraceReplayerTest.keepingIn(before), cut)
                                        .replay(captures))
                .hasMessageContaining("cut here");
        List<List<ByteBuffer>> atCut = contents("failed");
        ResumeFile after = ResumeFile.open(file, captures, options, identity("failed"));
        new TraceReplayer(options.resumedFrom(after.record()), TraceReplayerTest.keepingIn(after))
                .replay(captures);

        assertThat(size(atCut)).isEqualTo(CUT);
        requireWhole("failed", "failed-whole", atCut, before.record());
        assertThat(ResumeFile.open(file, captures, options, identity("failed")).record())
                .isEqualTo(size(contents("failed-whole")));
    }

    @Test
    void aReplayThatIsKilledGoesOnFromItsResumeFile() throws Exception {
        String[] whole = arguments("killed-whole", "max", directory.resolve("whole.json"));
        assertThat(Sluice.run(whole)).isZero();
        Path file = directory.resolve("killed.json");
        // Slow enough to be alive when it is killed.
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Sluice.class.getName()));
        command.addAll(List.of(arguments("killed", "1x", file)));
        Process replay =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("killed.out").toFile())
                        .start();
        try {
            awaitResumePoint(file, replay);
        } finally {
            replay.destroyForcibly();
            assertThat(replay.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
        long resumePoint = resumePoint(file);
        List<List<ByteBuffer>> atCut = contents("killed");

        assertThat(Sluice.run(arguments("killed", "max", file))).isZero();

        assertThat(size(atCut)).isLessThan(PACKETS);
        requireWhole("killed", "killed-whole", atCut, resumePoint);
    }

    /** A topic contains what another one has, and again what was not acknowledged. */
    private static void requireWhole(
            String topic, String undisturbed, List<List<ByteBuffer>> atCut, long resumePoint)
            throws IOException {
        List<List<ByteBuffer>> resumed = contents(topic);
        List<List<ByteBuffer>> expected = contents(undisturbed);
        // Perhaps nothing was known to be acknowledged; then everything comes twice.
        assertThat(resumePoint).isBetween(0L, size(atCut));
        assertThat(size(resumed) - size(expected)).isEqualTo(size(atCut) - resumePoint);
        for (int p = 0; p < PARTITIONS; p++) {
            int cut = atCut.get(p).size();
            List<ByteBuffer> whole = expected.get(p);
            List<ByteBuffer> rest = resumed.get(p).subList(cut, resumed.get(p).size());
            int from = whole.size() - rest.size();
            assertThat(from).as("first record sent again").isBetween(0, cut);
            assertThat(resumed.get(p).subList(0, cut).equals(whole.subList(0, cut))).isTrue();
            assertThat(rest.equals(whole.subList(from, whole.size()))).isTrue();
        }
    }

    private static ReplayTopic.Identity identity(String topic) throws IOException {
        return ReplayTopic.identity(Brokers.at(kafka.bootstrapServers()), topic, TIMEOUT);
    }

    @Test
    void aResumeFileOfAnotherClusterOrOfATopicMadeAnewIsRefused() throws Exception {
        Path file = directory.resolve("elsewhere.json");
        assertThat(Sluice.run(arguments("elsewhere", "max", file))).isZero();
        String kept = Files.readString(file);

        try (EmbeddedKafka other = EmbeddedKafka.start(directory)) {
            String[] there = arguments("elsewhere", "max", file);
            there[2] = "--bootstrap-servers=" + other.bootstrapServers();
            assertThat(Sluice.run(there)).isEqualTo(2);
            try (Admin admin = other.admin()) {
                assertThat(admin.listTopics().names().get()).doesNotContain("elsewhere");
            }
        }
        try (Admin admin = kafka.admin()) {
            admin.deleteTopics(List.of("elsewhere")).all().get();
        }
        assertThat(Sluice.run(arguments("elsewhere", "max", file))).isEqualTo(2);
        assertThat(file).hasContent(kept);
    }

    @Test
    void aBrokerThatIsSlowForManyPartitionsDoesNotLetRecordsExpire() throws Exception {
        String topic = "slow";
        try (Admin admin = kafka.admin()) {
            ClientQuotaEntity everybody =
                    new ClientQuotaEntity(
                            Collections.singletonMap(ClientQuotaEntity.CLIENT_ID, null));
            admin.alterClientQuotas(List.of(quota(everybody, 100_000.0))).all().get();
            try {
                ReplayTopic.create(Brokers.at(kafka.bootstrapServers()), topic, 64, TIMEOUT);
                ReplayOptions options =
                        ReplayOptions.builder(Brokers.at(kafka.bootstrapServers()), topic)
                                .faults(FAULTS)
                                .brokerTimeout(Duration.ofSeconds(1))
                                .build();

                Truth truth = new TraceReplayer(options, progress -> {}).replay(capture);

                assertThat(truth.summary().operationsSent()).isEqualTo(PACKETS);
            } finally {
                admin.alterClientQuotas(List.of(quota(everybody, null))).all().get();
            }
        }
    }

    private static ClientQuotaAlteration quota(ClientQuotaEntity whose, Double bytesPerSecond) {
        return new ClientQuotaAlteration(
                whose, List.of(new ClientQuotaAlteration.Op("producer_byte_rate", bytesPerSecond)));
    }

    private static ReplayOptions options(String topic) throws IOException {
        ReplayTopic.create(Brokers.at(kafka.bootstrapServers()), topic, PARTITIONS, TIMEOUT);
        return ReplayOptions.builder(Brokers.at(kafka.bootstrapServers()), topic)
                .faults(FAULTS)
                .brokerTimeout(TIMEOUT)
                .build();
    }

    private static String[] arguments(String topic, String speed, Path resume) {
        return new String[] {
            "replay",
            capture.toString(),
            "--bootstrap-servers=" + kafka.bootstrapServers(),
            "--topic=" + topic,
            "--partitions=" + PARTITIONS,
            "--speed=" + speed,
            "--resume=" + resume
        };
    }

    /** Waits until the file says that records were acknowledged. */
    private static void awaitResumePoint(Path file, Process replay) throws IOException {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (resumePoint(file) == 0) {
            if (!replay.isAlive() || System.nanoTime() > deadline) {
                throw new AssertionError(
                        "no resume point: " + Files.readString(directory.resolve("killed.out")));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private static long resumePoint(Path file) throws IOException {
        return Files.exists(file)
                ? new ObjectMapper().readTree(file.toFile()).path("record").asLong()
                : 0;
    }

    private static long size(List<List<ByteBuffer>> contents) {
        return contents.stream().mapToLong(List::size).sum();
    }

    /** The values of each partition, in their order. */
    private static List<List<ByteBuffer>> contents(String topic) {
        List<List<ByteBuffer>> values = new ArrayList<>();
        IntStream.range(0, PARTITIONS).forEach(partition -> values.add(new ArrayList<>()));
        readAll(topic)
                .forEach(
                        record ->
                                values.get(record.partition())
                                        .add(ByteBuffer.wrap(record.value())));
        return values;
    }

    /** Everything that is on the topic now. */
    private static List<ConsumerRecord<byte[], byte[]>> readAll(String topic) {
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
            long count =
                    consumer.endOffsets(partitions).values().stream()
                            .mapToLong(Long::longValue)
                            .sum();
            while (all.size() < count) {
                var polled = consumer.poll(TIMEOUT);
                assertThat(polled.isEmpty()).as("records missing").isFalse();
                polled.forEach(all::add);
            }
        }
        return all;
    }
}
