/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.Topics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/** Jobs whose state is lost, and whose output is still there. */
class SeenFromOutputIT extends DedupFixture {
    private static final long START = Instant.parse("2025-04-25T09:00:00Z").toEpochMilli();
    private static final long MINUTE = 60_000;

    /** They come again after the window, and are new then. */
    private static final int IDS = 200;

    private static final int HOURS_APART = 2;

    private static final String SEEN = "--seen-from-output";
    private static final String FPP = "--fpp=1e-9";

    /** Each record twice, once in each partition. */
    private void send(int firstRound, int endRound) {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (int round = firstRound; round < endRound; round++) {
                long time = START + (long) round * HOURS_APART * 60 * MINUTE;
                for (int i = 0; i < IDS; i++) {
                    byte[] key = Integer.toString(i).getBytes(UTF_8);
                    for (int partition = 0; partition < 2; partition++) {
                        var unused =
                                producer.send(
                                        new ProducerRecord<>(topic, partition, time, key, key));
                    }
                }
            }
        }
    }

    private List<String> output() {
        return Topics.readAll(kafka, topic + "-out").stream()
                .map(
                        record ->
                                new String(record.key(), UTF_8)
                                        + '@'
                                        + (record.timestamp() - START) / MINUTE / 60)
                .sorted()
                .toList();
    }

    private static List<String> rounds(int end) {
        List<String> expected = new ArrayList<>();
        for (int round = 0; round < end; round++) {
            for (int i = 0; i < IDS; i++) {
                expected.add(Integer.toString(i) + '@' + round * HOURS_APART);
            }
        }
        expected.sort(null);
        return expected;
    }

    private void awaitRead(RunningJob job, int records) throws IOException {
        job.await(
                records + " read",
                LIMIT,
                () -> flink.metrics().total(DedupJob.OPERATOR, "records") >= records);
    }

    /** Leaves three rounds that are committed, and a part of more in transactions that are open. */
    private void runAndLoseTheState() throws Exception {
        send(0, 3);
        RunningJob job = flink.submit(env(FPP, "--checkpoint-interval=10 min"), topic);
        job.awaitRunning(LIMIT);
        awaitRead(job, 6 * IDS);
        job.checkpoint();
        job.await("written", LIMIT, () -> output().size() == 3 * IDS);
        send(3, 5);
        awaitRead(job, 10 * IDS);
        job.cancel();
        job.await("ended", LIMIT, job::hasEnded);
    }

    @Test
    void whatTheOutputHasIsNotWrittenAgainAndNothingIsLost() throws Exception {
        runAndLoseTheState();
        send(5, 6);
        flink.submit(env(FPP, SEEN, "--bounded"), topic).awaitFinished(LIMIT);
        assertThat(output()).isEqualTo(rounds(6));

        // All of it is there.
        for (String drift : List.of("off", "10 min")) {
            flink.submit(env(FPP, SEEN, "--bounded", "--max-drift=" + drift), topic)
                    .awaitFinished(LIMIT);
            assertThat(output()).isEqualTo(rounds(6));
        }
    }

    @Test
    void aTaskManagerThatIsKilledWhileTheOutputIsReadChangesNothing() throws Exception {
        runAndLoseTheState();
        // Without a checkpoint none is written.
        RunningJob job = flink.submit(env(FPP, SEEN, "--checkpoint-interval=10 min"), topic);
        job.awaitRunning(LIMIT);
        awaitRead(job, 1);
        flink.replaceTaskManager(0);
        job.await("restarted", LIMIT, () -> job.restarts() > 0 && job.isRunning());
        awaitRead(job, 1);
        send(5, 6);
        job.await(
                "written",
                LIMIT,
                () -> {
                    try {
                        job.checkpoint();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                    return output().size() >= 6 * IDS;
                });
        assertThat(flink.metrics().total(DedupJob.OPERATOR, "late"))
                .as("the times of the output do not make the input late")
                .isZero();
        String savepoint = job.stopWithSavepoint(false);
        assertThat(output()).isEqualTo(rounds(6));

        send(6, 7);
        RunningJob restored = flink.submit(env(FPP, SEEN, "--parallelism=1"), topic, savepoint);
        restored.awaitRunning(LIMIT);
        restored.await("written", LIMIT, () -> output().size() >= 7 * IDS);
        restored.stopWithSavepoint(false);
        assertThat(output()).isEqualTo(rounds(7));
    }

    @Test
    void whatWasCommittedBehindATransactionThatIsStillOpenIsWaitedFor() throws Exception {
        kafka.createTopics(2, topic + "-out");
        send(0, 2);
        RunningJob job;
        try (KafkaProducer<byte[], byte[]> other =
                Topics.producer(kafka, Map.of(ProducerConfig.TRANSACTIONAL_ID_CONFIG, topic))) {
            other.initTransactions();
            other.beginTransaction();
            for (int partition = 0; partition < 2; partition++) {
                other.send(new ProducerRecord<>(topic + "-out", partition, null, new byte[1]))
                        .get();
            }
            flink.submit(env(FPP, "--bounded"), topic).awaitFinished(LIMIT);
            job = flink.submit(env(FPP, SEEN, "--bounded"), topic);
            job.awaitRunning(LIMIT);
            other.abortTransaction();
        }
        job.awaitFinished(LIMIT);
        assertThat(output()).isEqualTo(rounds(2));
    }

    @Test
    void aJobThatHasItsStateGoesOnWithIt() throws Exception {
        send(0, 2);
        RunningJob job = flink.submit(env(FPP), topic);
        job.awaitRunning(LIMIT);
        job.await("written", LIMIT, () -> output().size() == 2 * IDS);
        String savepoint = job.stopWithSavepoint(false);
        send(2, 3);
        RunningJob restored = flink.submit(env(FPP, SEEN), topic, savepoint);
        restored.awaitRunning(LIMIT);
        restored.await("written", LIMIT, () -> output().size() >= 3 * IDS);
        restored.stopWithSavepoint(false);
        assertThat(output()).isEqualTo(rounds(3));
    }

    /** They are found, and not read. */
    @Test
    void partitionsThatAreAddedToTheOutputHoldNoOtherBack() throws Exception {
        send(0, 1);
        RunningJob job = flink.submit(env(FPP, SEEN), topic);
        job.awaitRunning(LIMIT);
        job.await("written", LIMIT, () -> output().size() == IDS);
        String savepoint = job.stopWithSavepoint(false);
        try (Admin admin = kafka.admin()) {
            admin.createPartitions(Map.of(topic + "-out", NewPartitions.increaseTo(4))).all().get();
        }
        // More than is read of a partition before it waits for others.
        int rounds = 150;
        send(1, rounds);

        RunningJob restored = flink.submit(env(FPP, SEEN), topic, savepoint);
        restored.awaitRunning(LIMIT);
        restored.await("written", LIMIT, () -> output().size() >= rounds * IDS);
        restored.stopWithSavepoint(false);
        assertThat(output()).isEqualTo(rounds(rounds));
    }

    @Test
    void withoutAWindowAndWithATimeToBeginAtItIsTheSame() throws Exception {
        send(0, 2);
        flink.submit(env(FPP, "--bounded"), topic).awaitFinished(LIMIT);
        String from = "--from=" + Instant.ofEpochMilli(START + HOURS_APART * 60 * MINUTE);
        send(2, 3);
        flink.submit(env(FPP, SEEN, from, "--bounded"), topic).awaitFinished(LIMIT);
        assertThat(output()).isEqualTo(rounds(3));
        flink.submit(env(SEEN, "--forever", "--bounded"), topic).awaitFinished(LIMIT);
        assertThat(output()).isEqualTo(rounds(3));
    }

    @Test
    void anOutputWithMoreIdsThanTheFiltersHoldIsWarnedOf() throws Exception {
        kafka.createTopics(2, topic + "-many");
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (int id = 0; id < 300_000; id++) {
                byte[] key = Integer.toString(id).getBytes(UTF_8);
                var unused = producer.send(new ProducerRecord<>(topic + "-many", key, null));
            }
        }
        String many = "--output-topic=" + topic + "-many";

        assertThat(options(SEEN, many, "--memory=1mb", "--parallelism=1").beforeTheFirst())
                .singleElement()
                .asString()
                .contains("'" + topic + "-many' has at most 300,000 records")
                .contains("take about 2 mb in filters")
                .contains("a subtask has 1 mb: with fewer than 2 subtasks the oldest");
        assertThat(options(SEEN, many, "--memory=1mb", "--parallelism=2").beforeTheFirst())
                .isEmpty();
        assertThat(options(SEEN, many, "--memory=16mb").beforeTheFirst()).isEmpty();
        assertThat(options(SEEN, many, "--memory=1mb", "--forever").beforeTheFirst()).isEmpty();
        assertThat(options(SEEN, "--memory=1mb").beforeTheFirst()).isEmpty();
    }

    @Test
    void anOutputThatDoesNotTellIdsAndTimesIsRefusedByName() throws Exception {
        kafka.createTopics(2, Map.of("cleanup.policy", "compact"), topic + "-compacted");
        kafka.createTopics(
                2, Map.of("message.timestamp.type", "LogAppendTime"), topic + "-arrival");
        assertThatIOException()
                .isThrownBy(
                        () ->
                                options(SEEN, "--output-topic=" + topic + "-compacted")
                                        .beforeTheFirst())
                .withMessageContaining("topic '" + topic + "-compacted' is compacted");
        assertThatIOException()
                .isThrownBy(
                        () ->
                                options(SEEN, "--output-topic=" + topic + "-arrival")
                                        .beforeTheFirst())
                .withMessageContaining("topic '" + topic + "-arrival' has the times of arrival");
        for (String unlike :
                List.of(
                        "--keep=last",
                        "--on-duplicate=tag",
                        "--on-duplicate=topic",
                        "--summary-topic=sum",
                        "--limit=2",
                        "--time=processing",
                        "--tombstones=forward",
                        "--on-unreadable=forward",
                        "--id=key,topic",
                        "--output-bootstrap-servers=there:9092")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> options(SEEN, unlike))
                    .withMessageStartingWith(SEEN)
                    .withMessageContaining(unlike.substring(0, unlike.indexOf('=')));
        }
    }
}
