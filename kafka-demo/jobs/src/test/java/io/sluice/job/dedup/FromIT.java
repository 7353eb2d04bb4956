/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.Topics;
import io.sluice.kafka.Brokers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.annotation.Nullable;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Jobs that write a part of their input. */
class FromIT extends DedupFixture {
    private static final long START = Instant.parse("2025-04-25T09:00:00Z").toEpochMilli();

    /** After the first hour. */
    private static final String FROM_TIME = "--from=2025-04-25T12:00:00+02:00";

    private static final long MINUTE = 60_000;

    private void send(int partition, long minutes, @Nullable String key) {
        sendAt(partition, START + minutes * MINUTE, key);
    }

    /** Sent one by one, so that each has an offset that is known. */
    private void sendAt(int partition, long time, @Nullable String... keys) {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (String key : keys) {
                var unused =
                        producer.send(
                                new ProducerRecord<>(
                                        topic,
                                        partition,
                                        time,
                                        key == null ? null : key.getBytes(UTF_8),
                                        Long.toString(time).getBytes(UTF_8)));
            }
        }
    }

    private List<String> run(String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(more));
        arguments.add("--bounded");
        flink.submit(env(arguments.toArray(String[]::new)), topic).awaitFinished(LIMIT);
        return written("-out");
    }

    private List<String> written(String suffix) {
        return Topics.readAll(kafka, topic + suffix).stream()
                .map(
                        record ->
                                (record.key() == null ? "" : new String(record.key(), UTF_8))
                                        + '@'
                                        + (record.timestamp() - START) / MINUTE)
                .sorted()
                .toList();
    }

    private RunningJob startAndRead(int records, String... more) throws IOException {
        RunningJob job = flink.submit(env(more), topic);
        job.awaitRunning(LIMIT);
        awaitRead(job, records);
        return job;
    }

    private void awaitRead(RunningJob job, int records) throws IOException {
        job.await(
                records + " read",
                LIMIT,
                () -> flink.metrics().total(DedupJob.OPERATOR, "records") >= records);
    }

    @Test
    void whatIsBeforeATimeIsRememberedAndNotWritten() throws Exception {
        send(0, 30, "a");
        send(1, 40, "b");
        send(1, 41, "b");
        send(1, 42, null);
        send(0, 61, "b");
        send(0, 62, "c");
        send(0, 63, null);
        send(0, 100, "c");

        assertThat(run(FROM_TIME, "--on-duplicate=topic")).containsExactly("c@62");
        assertThat(written("-out-duplicates")).containsExactly("b@61", "c@100");
        assertThat(written("-out-dead-letters")).containsExactly("@63");
    }

    @Test
    void whatPassesUnjudgedAndWhatIsCountedByIdIsNotWrittenEither() throws Exception {
        send(0, 30, "a");
        send(0, 31, "a");
        send(0, 32, null);
        send(0, 61, "a");
        send(0, 62, null);

        assertThat(run(FROM_TIME, "--on-unreadable=forward", "--summary-topic=" + topic + "-sum"))
                .containsExactly("@62");
        assertThat(Topics.readAll(kafka, topic + "-sum"))
                .singleElement()
                .satisfies(
                        sum ->
                                assertThat(new String(sum.value(), UTF_8))
                                        .contains("\"suppressed\":1,"));
    }

    @Test
    void aRecordThatCannotBeJudgedBeforeTheTimeFailsNoJob() throws Exception {
        send(0, 30, null);
        send(0, 61, "a");
        assertThat(run(FROM_TIME, "--on-unreadable=fail")).containsExactly("a@61");
    }

    /** It was written when it was young enough. */
    @Test
    void whatTheOutputWouldRefuseNowForItsAgeIsRememberedAllTheSame() throws Exception {
        kafka.createTopics(2, Map.of("message.timestamp.before.max.ms", "3600000"), topic + "-out");
        long now = System.currentTimeMillis();
        sendAt(0, now - 70 * MINUTE, "a");
        sendAt(0, now - 20 * MINUTE, "a", "b");
        flink.submit(env("--bounded", "--from=" + Instant.ofEpochMilli(now - 30 * MINUTE)), topic)
                .awaitFinished(LIMIT);
        assertThat(Topics.readAll(kafka, topic + "-out")).hasSize(1);
    }

    @Test
    void theLastRecordOfAWindowIsWrittenIfItIsNotBeforeTheTime() throws Exception {
        send(0, 20, "a");
        send(0, 30, "b");
        send(0, 61, "b");
        assertThat(run(FROM_TIME, "--keep=last")).containsExactly("b@61");
    }

    @Test
    void whereIdsAreKeptForEverItIsTheSame() throws Exception {
        send(0, 20, "a");
        send(0, 61, "a");
        send(1, 61, "b");
        assertThat(run(FROM_TIME, "--forever")).containsExactly("b@61");
    }

    /** One partition has little before the time, and the other a lot. */
    @Test
    void noRecordIsWrittenWhoseIdIsBeforeTheTimeInAnotherPartition() throws Exception {
        Set<String> expected = new TreeSet<>();
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (int i = 0; i < 60_000; i++) {
                send(producer, 1, i * 59 / 60_000, "k" + i);
            }
            for (int i = 59_000; i < 61_000; i++) {
                send(producer, 0, 61, "k" + i);
                send(producer, 1, 90, "k" + (i + 500));
            }
        }
        for (int i = 60_000; i < 61_500; i++) {
            expected.add("k" + i);
        }
        for (String drift : List.of("10 min", "off")) {
            String output = "--output-topic=" + topic + drift.charAt(0);
            run(FROM_TIME, "--fpp=1e-9", "--max-drift=" + drift, output);
            List<String> keys =
                    Topics.readAll(kafka, topic + drift.charAt(0)).stream()
                            .map(record -> new String(record.key(), UTF_8))
                            .toList();
            assertThat(keys).hasSameSizeAs(expected).containsAll(expected);
        }
    }

    private void send(KafkaProducer<byte[], byte[]> to, int partition, long minute, String key) {
        var unused =
                to.send(
                        new ProducerRecord<>(
                                topic,
                                partition,
                                START + minute * MINUTE,
                                key.getBytes(UTF_8),
                                new byte[0]));
    }

    @Test
    void aRestoredJobGoesOnWhereItWasAndNotAtTheEndOfTheInput() throws Exception {
        send(0, 0, "a");
        send(1, 1, "b");
        RunningJob job = startAndRead(2, "--from=latest");
        send(0, 2, "b");
        send(0, 3, "c");
        awaitRead(job, 4);
        String savepoint = job.stopWithSavepoint(false);
        assertThat(written("-out")).containsExactly("c@3");

        send(1, 4, "c");
        send(1, 5, "d");
        send(0, 6, "a");
        assertThatIOException()
                .isThrownBy(() -> flink.submit(env(), topic, savepoint).awaitFinished(LIMIT))
                .withMessageContaining(
                        "the state was made with --from latest, and now it is earliest");

        RunningJob restored =
                flink.submit(env("--from=latest", "--parallelism=1"), topic, savepoint);
        restored.awaitRunning(LIMIT);
        restored.await("written", LIMIT, () -> written("-out").size() >= 2);
        restored.stopWithSavepoint(false);
        assertThat(written("-out")).containsExactly("c@3", "d@5");
    }

    @Test
    void aFailureDoesNotMoveTheBeginning() throws Exception {
        send(0, 0, "a");
        interval = "10 min";
        RunningJob job = startAndRead(1, "--from=latest");
        send(0, 1, "b");
        send(1, 2, "a");
        flink.replaceTaskManager(0);
        job.await("restarted", LIMIT, () -> job.restarts() > 0 && job.isRunning());
        awaitRead(job, 1);
        job.await(
                "all read",
                LIMIT,
                () -> {
                    try {
                        job.checkpoint();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                    return flink.metrics().total(DedupJob.OPERATOR, "records") >= 3;
                });
        job.stopWithSavepoint(false);
        assertThat(written("-out")).containsExactly("b@1");
    }

    /**
     * Unless Flink takes an early checkpoint, the savepoint is the first, and nothing is written.
     */
    @Test
    void aJobThatIsStoppedBeforeItWritesGoesOnWithAnotherParallelism() throws Exception {
        send(0, 0, "a");
        send(1, 1, "b");
        interval = "10 min";
        RunningJob job = startAndRead(2, "--from=latest");
        send(0, 2, "b");
        send(1, 3, "c");
        String savepoint = job.stopWithSavepoint(false);
        send(1, 4, "a");
        send(0, 5, "d");

        interval = "1 s";
        RunningJob restored =
                flink.submit(env("--from=latest", "--parallelism=1"), topic, savepoint);
        restored.awaitRunning(LIMIT);
        restored.await("written", LIMIT, () -> written("-out").size() >= 2);
        restored.stopWithSavepoint(false);
        assertThat(written("-out")).containsExactly("c@3", "d@5");
    }

    @Test
    void aTopicThatIsMadeAnewIsWrittenFromItsBeginning() throws Exception {
        send(0, 0, "a");
        send(0, 1, "b");
        RunningJob job = startAndRead(2, "--from=latest");
        job.await("checkpoint", LIMIT, () -> !job.checkpoints().isEmpty());
        String savepoint = job.stopWithSavepoint(false);
        try (Admin admin = Brokers.at(kafka.bootstrapServers()).admin(Brokers.TIMEOUT)) {
            admin.deleteTopics(List.of(topic)).all().get();
        }
        kafka.createTopics(2, topic);
        send(0, 2, "a");
        send(0, 3, "c");

        RunningJob restored =
                flink.submit(env("--from=latest", "--accept-new-topic"), topic, savepoint);
        restored.awaitRunning(LIMIT);
        restored.await(
                "written",
                LIMIT,
                () -> flink.metrics().total("write-output: Writer", "numRecordsSend") >= 1);
        restored.stopWithSavepoint(false);
        assertThat(written("-out")).containsExactly("c@3");
    }

    private void commit(String group, Map<Integer, Long> offsets) throws Exception {
        Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
        offsets.forEach(
                (partition, offset) ->
                        committed.put(
                                new TopicPartition(topic, partition),
                                new OffsetAndMetadata(offset)));
        try (Admin admin = Brokers.at(kafka.bootstrapServers()).admin(Brokers.TIMEOUT)) {
            admin.alterConsumerGroupOffsets(group, committed).all().get();
        }
    }

    @Test
    void aJobTakesOverWhereAConsumerGroupIs() throws Exception {
        sendAt(0, START, "a", "b", "a", "c");
        sendAt(1, START, "b", "d");
        commit("other", Map.of(0, 2L));
        String[] options = {"--from=group-offsets", "--group=other"};

        assertThat(StartingOffsets.warnings(options(options)))
                .containsExactly(
                        "consumer group 'other' has no committed offset in "
                                + topic
                                + "-1, so that is written from its beginning: correct --group if it"
                                + " is another one");
        assertThat(run(options)).containsExactly("c@0", "d@0");
    }

    /** To Kafka, negative timestamps mean the end and the like. */
    @Test
    void aTimeBefore1970IsBeforeEverything() throws Exception {
        send(0, 0, "a");
        assertThat(run("--from=1969-12-31T23:59:59.999Z")).containsExactly("a@0");
    }

    /** Event time must not run ahead of what waits until the other partitions are filled. */
    @Test
    void aPartitionThatBeginsHoursBeforeTheOthersIsNotLate() throws Exception {
        int hours = 5;
        int records = 20_000;
        send(0, 0, "a");
        send(0, 5, "a");
        send(0, 6, "b");
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (int i = 0; i < records; i++) {
                send(producer, 1, hours * 60L * i / records, "z" + i);
            }
        }
        send(1, 302, "c");
        commit("other", Map.of(0, 1L, 1, (long) records));
        assertThat(
                        run(
                                "--from=group-offsets",
                                "--group=other",
                                "--on-late=drop",
                                "--parallelism=1"))
                .containsExactly("b@6", "c@302");
    }

    @Test
    void offsetsThatAreGoneOrBeyondTheEndAreToldAndNothingIsLost() throws Exception {
        sendAt(0, START, "a", "b", "c");
        sendAt(1, START, "d");
        commit("other", Map.of(0, 1L, 1, 5L));
        try (Admin admin = Brokers.at(kafka.bootstrapServers()).admin(Brokers.TIMEOUT)) {
            admin.deleteRecords(
                            Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(2)))
                    .all()
                    .get();
        }
        String[] options = {"--from=group-offsets", "--group=other"};

        assertThat(StartingOffsets.warnings(options(options)))
                .containsExactly(
                        "consumer group 'other' is at offset 1 of "
                                + topic
                                + "-0, but the topic begins at 2: Kafka has deleted what is between"
                                + " them",
                        "consumer group 'other' is at offset 5 of "
                                + topic
                                + "-1, but the topic ends at 1, as if it had been made anew, so it"
                                + " is written from its beginning");
        assertThat(run(options)).containsExactly("c@0", "d@0");
    }

    @Test
    void theRetentionOfTheOutputConcernsOnlyWhatIsWritten() throws Exception {
        kafka.createTopics(
                2,
                Map.of("retention.ms", Long.toString(Duration.ofDays(1).toMillis())),
                topic + "-out");
        long now = System.currentTimeMillis();
        sendAt(0, now - Duration.ofDays(3).toMillis(), "a");
        commit("other", Map.of(0, 1L));

        assertThatIOException().isThrownBy(() -> options().beforeTheFirst());
        assertThat(options("--from=latest").beforeTheFirst()).isEmpty();
        assertThat(options("--from=group-offsets", "--group=other").beforeTheFirst()).isEmpty();
        sendAt(0, now - Duration.ofHours(1).toMillis(), "b");
        assertThat(options().beforeTheFirst()).hasSize(1);
        assertThat(options("--from=" + Instant.now().minus(Duration.ofHours(2))).beforeTheFirst())
                .isEmpty();
    }
}
