/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.JobTopics;
import io.sluice.job.Topics;
import io.sluice.kafka.Brokers;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** State of other ids, times or topics. */
class StateIdentityIT {
    private static final Duration LIMIT = Duration.ofMinutes(1);

    @TempDir private static Path folder;

    private static EmbeddedKafka kafka;

    private LocalFlink flink;
    private String topic;

    @BeforeAll
    static void start() throws IOException {
        kafka = EmbeddedKafka.start(folder);
    }

    @AfterAll
    static void stop() throws IOException {
        kafka.close();
    }

    @BeforeEach
    void startFlink(TestInfo test) throws IOException {
        flink = LocalFlink.start(folder, 1, 2);
        topic = test.getTestMethod().orElseThrow().getName();
        kafka.createTopics(1, topic);
    }

    @AfterEach
    void stopFlink() throws IOException {
        flink.close();
    }

    private void send(int first, int count) {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (int i = first; i < first + count; i++) {
                String value = "{\"a\":" + i + ",\"b\":" + -i + "}";
                var unused = producer.send(new ProducerRecord<>(topic, value.getBytes(UTF_8)));
            }
        }
    }

    private StreamExecutionEnvironment env(String... more) throws IOException {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "--bootstrap-servers=" + kafka.bootstrapServers(),
                                "--within=1h",
                                "--output-topic=" + topic + "-output",
                                "--parallelism=1"));
        arguments.addAll(List.of(more));
        if (arguments.stream().noneMatch(argument -> argument.startsWith("--input-topic"))) {
            arguments.add("--input-topic=" + topic);
        }
        DedupOptions options = DedupOptions.parse(arguments.toArray(String[]::new));
        JobTopics.prepare(options);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        DedupJob.define(env, options);
        return env;
    }

    private String savepointOf(int records, String... more) throws Exception {
        RunningJob job = flink.submit(env(more), topic);
        job.awaitRunning(LIMIT);
        job.await(
                "read",
                LIMIT,
                () -> flink.metrics().total(DedupJob.OPERATOR, "records") == records);
        return job.stopWithSavepoint(false);
    }

    private void assertRefused(String savepoint, String message, String... more)
            throws IOException {
        RunningJob job = flink.submit(env(more), topic, savepoint);
        assertThatIOException()
                .isThrownBy(() -> job.awaitFinished(LIMIT))
                .withMessageContaining(message);
    }

    private void assertGoesOn(String savepoint, int written, String... more) throws Exception {
        RunningJob job = flink.submit(env(more), topic, savepoint);
        job.awaitRunning(LIMIT);
        job.await(
                "written",
                LIMIT,
                () -> flink.metrics().total("write-output: Writer", "numRecordsSend") >= written);
        job.stopWithSavepoint(false);
        assertThat(Topics.readAll(kafka, topic + "-output")).hasSize(written);
    }

    @Test
    void stateOfOtherIdsOrTimesIsRefusedNamingBoth() throws Exception {
        send(0, 100);
        String savepoint = savepointOf(100, "--id=json:/a,json:/b");

        assertRefused(
                savepoint,
                "the state was made with --id json:/a,json:/b, and now it is json:/b,json:/a",
                "--id=json:/b,json:/a");
        assertRefused(
                savepoint,
                "the state was made with --time-unit ms, and now it is us",
                "--id=json:/a,json:/b",
                "--time-unit=us");
        send(50, 100);
        assertGoesOn(savepoint, 150, "--id=json:/a", "--id=json:/b", "--time-unit=ms");
    }

    @Test
    void stateOfAnotherContentIsRefusedNamingBoth() throws Exception {
        send(0, 10);
        String savepoint =
                savepointOf(10, "--id=json:/a", "--on-conflict=count", "--content=json:/b");

        assertRefused(
                savepoint,
                "the state was made with --content json:/b, and now it is json:/a",
                "--id=json:/a",
                "--on-conflict=count",
                "--content=json:/a");
        send(5, 10);
        assertGoesOn(savepoint, 15, "--id=json:/a");
    }

    @Test
    void aTopicThatWasMadeAnewIsRefusedOrReadFromItsBeginning() throws Exception {
        send(0, 100);
        String savepoint = savepointOf(100, "--id=value");
        try (Admin admin = Brokers.at(kafka.bootstrapServers()).admin(Brokers.TIMEOUT)) {
            admin.deleteTopics(List.of(topic)).all().get();
        }
        kafka.createTopics(1, topic);
        send(1000, 150);

        assertRefused(savepoint, "topic '" + topic + "' was deleted and made anew", "--id=value");
        assertGoesOn(savepoint, 250, "--id=value", "--accept-new-topic");
    }

    @Test
    void aTopicThatIsLeftOutIsRefused() throws Exception {
        kafka.createTopics(1, topic + "-other");
        send(0, 10);
        String savepoint =
                savepointOf(10, "--id=value", "--input-topic=" + topic + "," + topic + "-other");

        assertRefused(
                savepoint,
                "the state is of topic '" + topic + "', but --input-topic names",
                "--id=value",
                "--input-topic=" + topic + "-other");
    }
}
