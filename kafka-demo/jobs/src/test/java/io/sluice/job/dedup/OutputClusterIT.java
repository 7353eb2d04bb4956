/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.JobTopics;
import io.sluice.job.OutputRetention;
import io.sluice.job.Topics;
import io.sluice.job.message.CompactedTopics;
import io.sluice.kafka.Brokers;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Jobs that write to another Kafka cluster than that which they read. */
class OutputClusterIT extends DedupFixture {
    private static EmbeddedKafka other;

    @BeforeAll
    static void startOther() throws IOException {
        other = EmbeddedKafka.start(folder);
    }

    @AfterAll
    static void stopOther() throws IOException {
        other.close();
    }

    private static String toOther() {
        return "--output-bootstrap-servers=" + other.bootstrapServers();
    }

    /** Each twice, and a record without a key. */
    private void send(int first, int count) {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (int i = 2 * first; i < 2 * (first + count); i++) {
                byte[] key = Integer.toString(i / 2).getBytes(UTF_8);
                var unused = producer.send(new ProducerRecord<>(topic, i / 2 % 2, key, key));
            }
            var unused = producer.send(new ProducerRecord<>(topic, null, new byte[1]));
        }
    }

    private List<Integer> output(String name) {
        return Topics.readAll(other, name).stream()
                .map(record -> Integer.parseInt(new String(record.key(), UTF_8)))
                .sorted()
                .toList();
    }

    private static List<Integer> upTo(int end) {
        return IntStream.range(0, end).boxed().toList();
    }

    private static Set<String> topics(EmbeddedKafka of) throws Exception {
        try (Admin admin = Brokers.at(of.bootstrapServers()).admin(Brokers.TIMEOUT)) {
            return admin.listTopics().names().get();
        }
    }

    private List<String> transactions(EmbeddedKafka of) throws Exception {
        try (Admin admin = Brokers.at(of.bootstrapServers()).admin(Brokers.TIMEOUT)) {
            return admin.listTransactions().all().get().stream()
                    .map(TransactionListing::transactionalId)
                    .filter(id -> id.contains(topic))
                    .toList();
        }
    }

    /** The output has the name of the input. */
    @Test
    void everythingIsWrittenThereOnceThroughAFailureAndARestore() throws Exception {
        String[] options = {
            toOther(),
            "--output-topic=" + topic,
            "--on-duplicate=topic",
            "--summary-topic=" + topic + "-sum"
        };
        send(0, 500);
        RunningJob job = flink.submit(env(options), topic);
        job.awaitRunning(LIMIT);
        job.await("written", LIMIT, () -> output(topic).size() == 500);
        send(500, 100);
        flink.replaceTaskManager(0);
        job.await("restarted", LIMIT, () -> job.restarts() > 0 && job.isRunning());
        job.await("written", LIMIT, () -> output(topic).size() >= 600);
        String savepoint = job.stopWithSavepoint(false);
        send(590, 110);
        RunningJob restored = flink.submit(env(options), topic, savepoint);
        restored.awaitRunning(LIMIT);
        restored.await("written", LIMIT, () -> output(topic).size() >= 700);
        restored.stopWithSavepoint(true);

        assertThat(output(topic)).isEqualTo(upTo(700));
        assertThat(output(topic + "-duplicates")).hasSize(720);
        assertThat(Topics.readAll(other, topic + "-dead-letters")).hasSize(3);
        assertThat(Topics.readAll(other, topic + "-sum")).hasSize(700);
        assertThat(topics(kafka)).contains(topic).noneMatch(each -> each.startsWith(topic + "-"));
        assertThat(transactions(kafka)).isEmpty();
        assertThat(transactions(other)).isNotEmpty();
    }

    @Test
    void whatIsCheckedBeforeTheStartIsCheckedThere() throws Exception {
        kafka.createTopics(2, Map.of("cleanup.policy", "compact"), topic + "-late");
        other.createTopics(
                2,
                Map.of("retention.ms", Long.toString(Duration.ofDays(1).toMillis())),
                topic + "-out");
        other.createTopics(1, topic + "-narrow");
        other.createTopics(2, Map.of("cleanup.policy", "compact"), topic + "-compacted");
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            long old = System.currentTimeMillis() - Duration.ofDays(3).toMillis();
            producer.send(new ProducerRecord<>(topic, 0, old, new byte[1], new byte[1])).get();
        }

        assertThatIOException()
                .isThrownBy(() -> OutputRetention.warnings(options(toOther())))
                .withMessageContaining("but topic '" + topic + "-out' keeps records for 1 d only");
        assertThatIOException()
                .isThrownBy(() -> options(toOther(), "--output-topic=" + topic + "-narrow"))
                .withMessageContaining("has 1 partitions, but the input has 2");
        assertThat(
                        CompactedTopics.warnings(
                                options(
                                        toOther(),
                                        "--output-topic=" + topic + "-compacted",
                                        "--on-late=topic",
                                        "--late-topic=" + topic + "-late")))
                .singleElement()
                .asString()
                .contains("topic '" + topic + "-compacted' is compacted");
        JobTopics.requireEmptyOutput(options(toOther()), "--append");
    }

    @Test
    void theClusterOfTheInputUnderAnotherAddressIsNoPlaceForATopicOfItsName() {
        assertThatIOException()
                .isThrownBy(
                        () ->
                                options(
                                        "--output-bootstrap-servers="
                                                + kafka.bootstrapServers()
                                                        .replace("127.0.0.1", "localhost"),
                                        "--output-topic=" + topic))
                .withMessageContaining(
                        "topic '"
                                + topic
                                + "' would be read and written: --output-bootstrap-servers leads to"
                                + " the Kafka cluster of the input");
    }

    @Test
    void aClusterThatDoesNotAnswerIsNamedWithItsOption() {
        assertThatIOException()
                .isThrownBy(() -> options("--output-bootstrap-servers=127.0.0.1:1"))
                .withMessageContaining(
                        "no Kafka broker answers at 127.0.0.1:1: start it, or correct"
                                + " --output-bootstrap-servers");
    }

    /** Returns a savepoint of a job that has read all and committed nothing after it. */
    private String savepointOfOpenTransactions() throws Exception {
        StreamExecutionEnvironment env =
                env(toOther(), "--checkpoint-interval=5s", "--transaction-timeout=5s");
        // None comes by itself.
        env.enableCheckpointing(Duration.ofDays(10).toMillis());
        RunningJob job = flink.submit(env, topic);
        job.awaitRunning(LIMIT);
        job.checkpoint();
        send(0, 100);
        job.await("read", LIMIT, () -> flink.metrics().total(DedupJob.OPERATOR, "records") == 200);
        String savepoint = job.savepoint();
        job.cancel();
        job.await("ended", LIMIT, job::hasEnded);
        return savepoint;
    }

    @Test
    void whatTheClusterAbortedIsReadFromTheInputAndWrittenThereOnceMore() throws Exception {
        String savepoint = savepointOfOpenTransactions();
        // Once the broker has aborted what is open.
        assertThat(output(topic + "-out")).isEmpty();

        RunningJob job = flink.submit(env(toOther()), topic, savepoint);
        job.awaitRunning(LIMIT);
        job.await("written", LIMIT, () -> output(topic + "-out").size() >= 100);
        job.stopWithSavepoint(false);
        assertThat(output(topic + "-out")).isEqualTo(upTo(100));
    }

    @Test
    void aRestoredJobThatWritesToYetAnotherClusterIsRefused() throws Exception {
        String savepoint = savepointOfOpenTransactions();
        List<String> before = new ArrayList<>(topics(kafka));
        assertThat(before).doesNotContain(topic + "-out");

        RunningJob job = flink.submit(env(), topic, savepoint);
        assertThatIOException()
                .isThrownBy(() -> job.awaitFinished(LIMIT))
                .withMessageContaining(
                        "the Kafka broker at "
                                + kafka.bootstrapServers()
                                + " does not know, or not any more, whether it has committed");
    }
}
