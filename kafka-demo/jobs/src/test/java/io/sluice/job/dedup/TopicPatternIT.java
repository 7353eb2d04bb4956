/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.Topics;
import io.sluice.kafka.Brokers;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/** Jobs that read topics whose names match a pattern. */
class TopicPatternIT extends DedupFixture {
    private static final long NOW = System.currentTimeMillis();

    private String[] pattern(String... more) {
        List<String> options = new ArrayList<>(List.of(more));
        options.add("--input-topic-pattern=" + topic + "(-[a-z])?");
        if (!options.contains("--bounded")) {
            options.add("--discovery-interval=200 ms");
        }
        return options.toArray(String[]::new);
    }

    /** One of each id. */
    private void send(String to, int partition, long time, int first, int end) {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (int i = first; i < end; i++) {
                byte[] key = Integer.toString(i).getBytes(UTF_8);
                var unused = producer.send(new ProducerRecord<>(to, partition, time, key, key));
            }
        }
    }

    private List<Integer> output() {
        return Topics.readAll(kafka, topic + "-out").stream()
                .map(record -> Integer.parseInt(new String(record.key(), UTF_8)))
                .sorted()
                .toList();
    }

    private static List<Integer> upTo(int end) {
        return IntStream.range(0, end).boxed().toList();
    }

    private void await(RunningJob job, int written) throws IOException {
        job.await(written + " written", LIMIT, () -> output().size() >= written);
    }

    private void addPartitions(String to, int count) throws Exception {
        try (Admin admin = Brokers.at(kafka.bootstrapServers()).admin(Brokers.TIMEOUT)) {
            admin.createPartitions(Map.of(to, NewPartitions.increaseTo(count))).all().get();
        }
    }

    @Test
    void whatIsMadeWhileTheJobRunsIsReadFromItsBeginningThroughAFailureAndARestore()
            throws Exception {
        send(topic, 0, NOW, 0, 100);
        send(topic, 1, NOW, 50, 150);
        RunningJob job = flink.submit(env(pattern()), topic);
        job.awaitRunning(LIMIT);
        await(job, 150);

        kafka.createTopics(3, topic + "-a");
        send(topic + "-a", 2, NOW, 100, 250);
        kafka.createTopics(1, topic + "-not");
        send(topic + "-not", 0, NOW, 9000, 9100);
        await(job, 250);
        flink.replaceTaskManager(0);
        job.await("restarted", LIMIT, () -> job.restarts() > 0 && job.isRunning());
        send(topic + "-a", 0, NOW, 200, 350);
        await(job, 350);
        addPartitions(topic + "-out", 4);
        addPartitions(topic, 4);
        send(topic, 3, NOW, 300, 450);
        await(job, 450);
        String savepoint = job.stopWithSavepoint(false);

        kafka.createTopics(1, topic + "-b");
        send(topic + "-b", 0, NOW, 400, 550);
        send(topic + "-a", 1, NOW, 500, 600);
        RunningJob restored = flink.submit(env(pattern()), topic, savepoint);
        restored.awaitRunning(LIMIT);
        await(restored, 600);
        restored.stopWithSavepoint(true);
        assertThat(output()).isEqualTo(upTo(600));
    }

    @Test
    void aTopicOfDaysBeforeLosesNothingWhenItIsFound() throws Exception {
        send(topic, 0, NOW, 0, 100);
        send(topic, 1, NOW, 100, 200);
        RunningJob job = flink.submit(env(pattern()), topic);
        job.awaitRunning(LIMIT);
        await(job, 200);

        kafka.createTopics(1, topic + "-a");
        for (int day = 3; day > 0; day--) {
            send(
                    topic + "-a",
                    0,
                    NOW - Duration.ofDays(day).toMillis(),
                    500 - 100 * day,
                    600 - 100 * day);
        }
        await(job, 500);
        job.stopWithSavepoint(true);
        assertThat(output()).isEqualTo(upTo(500));
    }

    @Test
    void whereTheJobBeginsAtTheEndATopicThatComesLaterIsReadFromItsBeginning() throws Exception {
        send(topic, 0, NOW, 0, 100);
        RunningJob job = flink.submit(env(pattern("--from=latest")), topic);
        job.awaitRunning(LIMIT);
        job.await("read", LIMIT, () -> flink.metrics().total(DedupJob.OPERATOR, "records") == 100);
        kafka.createTopics(1, topic + "-a");
        send(topic + "-a", 0, NOW, 50, 200);
        await(job, 100);
        job.stopWithSavepoint(true);
        assertThat(output()).isEqualTo(IntStream.range(100, 200).boxed().toList());
    }

    @Test
    void aTopicThatWasMadeAnewIsRefusedAndOneThatCameLaterIsNot() throws Exception {
        kafka.createTopics(1, topic + "-a");
        send(topic + "-a", 0, NOW, 0, 100);
        RunningJob job = flink.submit(env(pattern()), topic);
        job.awaitRunning(LIMIT);
        await(job, 100);
        kafka.createTopics(1, topic + "-b");
        send(topic + "-b", 0, NOW, 100, 200);
        await(job, 200);
        String savepoint = job.stopWithSavepoint(false);
        try (Admin admin = Brokers.at(kafka.bootstrapServers()).admin(Brokers.TIMEOUT)) {
            admin.deleteTopics(List.of(topic + "-b")).all().get();
        }
        kafka.createTopics(1, topic + "-b", topic + "-c");
        send(topic + "-b", 0, NOW, 200, 300);
        send(topic + "-c", 0, NOW, 300, 400);

        assertThatIOException()
                .isThrownBy(
                        () -> flink.submit(env(pattern()), topic, savepoint).awaitFinished(LIMIT))
                .withMessageContaining("topic '" + topic + "-b' was deleted and made anew");
        RunningJob restored = flink.submit(env(pattern("--accept-new-topic")), topic, savepoint);
        restored.awaitRunning(LIMIT);
        await(restored, 400);
        restored.stopWithSavepoint(false);
        assertThat(output()).isEqualTo(upTo(400));
    }

    @Test
    void aPatternThatNoLongerMatchesATopicOfTheStateIsRefusedNamingBoth() throws Exception {
        send(topic, 0, NOW, 0, 10);
        RunningJob job = flink.submit(env(pattern()), topic);
        job.awaitRunning(LIMIT);
        await(job, 10);
        String savepoint = job.stopWithSavepoint(false);
        kafka.createTopics(1, topic + "-a");
        StreamExecutionEnvironment narrower = env("--input-topic-pattern=" + topic + "-a");
        assertThatIOException()
                .isThrownBy(() -> flink.submit(narrower, topic, savepoint).awaitFinished(LIMIT))
                .withMessageContaining(
                        "the state is of topic '"
                                + topic
                                + "', but --input-topic-pattern is '"
                                + topic
                                + "-a'");
    }

    @Test
    void theInputOfARunThatEndsIsWhatMatchesAtItsStart() throws Exception {
        send(topic, 0, NOW, 0, 100);
        StreamExecutionEnvironment env = env(pattern("--bounded"));
        kafka.createTopics(1, topic + "-a");
        send(topic + "-a", 0, NOW, 100, 200);
        flink.submit(env, topic).awaitFinished(LIMIT);
        assertThat(output()).isEqualTo(upTo(100));
    }

    @Test
    void whatWouldReadItsOwnOutputOrNothingIsRefusedByName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options("--input-topic-pattern=" + topic + ".*"))
                .withMessageContainingAll(
                        "--output-topic must not name a topic that is read",
                        "--input-topic-pattern is '" + topic + ".*'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options(pattern("--dead-letter-topic=" + topic + "-d")))
                .withMessageContaining("--dead-letter-topic must not name a topic that is");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options(pattern("--input-topic=" + topic)))
                .withMessageContaining(
                        "give either --input-topic TOPIC or --input-topic-pattern REGEX");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options("--input-topic-pattern=orders-["))
                .withMessageContaining("'orders-[' is not a regular expression");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                DedupOptions.parse(
                                        "--bootstrap-servers=here:9092",
                                        "--within=1h",
                                        "--input-topic-pattern=orders"))
                .withMessageContaining("--input-topic-pattern needs --output-topic");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options("--bounded", "--discovery-interval=1 min"))
                .withMessageContaining("--discovery-interval has no effect with --bounded");
        assertThatIOException()
                .isThrownBy(() -> options("--input-topic-pattern=none"))
                .withMessageContaining(
                        "is read yet, since --input-topic-pattern is 'none': make one first");
    }
}
