/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.job.JobTopics;
import io.sluice.job.Topics;
import io.sluice.job.message.MessageEnds;
import io.sluice.job.message.SplitMessages;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** Records without a value on a compacted topic. */
class TombstonesIT {
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final int KEYS = 50;
    private static final int CHANGES = 20;

    @TempDir private static Path folder;

    private static EmbeddedKafka kafka;
    private static LocalFlink flink;

    private String topic;

    @BeforeAll
    static void start() throws IOException {
        kafka = EmbeddedKafka.start(folder);
        flink = LocalFlink.start(folder, 1, 2);
    }

    @AfterAll
    static void stop() throws IOException {
        flink.close();
        kafka.close();
    }

    @BeforeEach
    void topic(TestInfo test) throws IOException {
        topic = test.getTestMethod().orElseThrow().getName();
        kafka.createTopics(2, Map.of("cleanup.policy", "compact"), topic);
    }

    private List<String> run(String... more) throws Exception {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "--bootstrap-servers=" + kafka.bootstrapServers(),
                                "--input-topic=" + topic,
                                "--id=json:/event",
                                "--within=1h",
                                "--parallelism=2",
                                "--bounded"));
        arguments.addAll(List.of(more));
        DedupOptions options = DedupOptions.parse(arguments.toArray(String[]::new));
        JobTopics.prepare(options);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        DedupJob.define(env, options);
        flink.submit(env, topic).awaitFinished(LIMIT);
        List<String> records = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : Topics.readAll(kafka, options.outputTopic())) {
            records.add(text(record.key()) + '=' + text(record.value()));
        }
        return records;
    }

    private static String text(@Nullable byte[] bytes) {
        return bytes == null ? "null" : new String(bytes, UTF_8);
    }

    private void send(KafkaProducer<byte[], byte[]> producer, int key, @Nullable String value) {
        var unused =
                producer.send(
                        new ProducerRecord<>(
                                topic,
                                key % 2,
                                ("k" + key).getBytes(UTF_8),
                                value == null ? null : value.getBytes(UTF_8)));
    }

    private static Map<String, List<String>> byKey(List<String> records) {
        Map<String, List<String>> byKey = new TreeMap<>();
        for (String record : records) {
            byKey.computeIfAbsent(record.substring(0, record.indexOf('=')), k -> new ArrayList<>())
                    .add(record);
        }
        return byKey;
    }

    @Test
    void eachPassesBehindTheRecordsOfItsKey() throws Exception {
        List<String> expected = new ArrayList<>();
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (int change = 0; change < CHANGES; change++) {
                for (int key = 0; key < KEYS; key++) {
                    String value = "{\"event\":" + (change * KEYS + key) + "}";
                    send(producer, key, value);
                    send(producer, key, value);
                    send(producer, key, null);
                    expected.add("k" + key + '=' + value);
                    expected.add("k" + key + "=null");
                }
            }
        }

        assertThat(byKey(run("--tombstones=forward"))).isEqualTo(byKey(expected));
    }

    @Test
    void withTheirKeyAsIdOnePassesWithinTheWindow() throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            send(producer, 1, "{\"event\":1}");
            send(producer, 1, null);
            send(producer, 1, null);
            send(producer, 3, null);
        }

        assertThat(run("--tombstones=id-of-key"))
                .containsExactlyInAnyOrder("k1={\"event\":1}", "k1=null", "k3=null")
                .containsSubsequence("k1={\"event\":1}", "k1=null");
    }

    @Test
    void theyMayBeDropped() throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            send(producer, 1, "{\"event\":1}");
            send(producer, 1, null);
        }

        assertThat(run("--tombstones=drop")).containsExactly("k1={\"event\":1}");
        assertThat(flink.metrics().total(MessageEnds.SPLIT, SplitMessages.DROPPED_TOMBSTONES))
                .isEqualTo(1);
    }
}
