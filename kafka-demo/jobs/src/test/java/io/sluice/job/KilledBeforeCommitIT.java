/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.flink.testkit.process.Ports;
import io.sluice.job.dedup.DedupJob;
import io.sluice.job.dedup.DedupOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.IntStream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A TaskManager is killed between a checkpoint and its commit, which does not reach the broker
 * until that has aborted the transaction.
 */
class KilledBeforeCommitIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int IDS = 200;

    @TempDir private Path folder;

    @Test
    void eachRecordIsThereOnceThoughTheBrokerAbortedWhatTheCheckpointSaysWasWritten()
            throws Exception {
        int[] ports = Ports.free(2);
        try (EmbeddedKafka kafka =
                        EmbeddedKafka.open(folder.resolve("broker"), ports[0], ports[1]);
                CommitGate gate = new CommitGate(ports[1], ports[0]);
                LocalFlink flink = LocalFlink.start(folder, 1, 2)) {
            kafka.createTopics(2, "orders");
            send(kafka, 0, IDS);
            RunningJob job = flink.submit(env("127.0.0.1:" + ports[1]), "orders");
            job.awaitRunning(LIMIT);
            job.await(
                    "read",
                    LIMIT,
                    () -> flink.metrics().total("Deduplicate: dedup", "records") == IDS);
            job.checkpoint();
            job.await("committing", LIMIT, () -> gate.held() > 0);

            flink.replaceTaskManager(0);
            job.await("aborted", LIMIT, () -> aborted(kafka) > 0 && ongoing(kafka) == 0);
            assertThat(Topics.readAll(kafka, "orders-deduplicated")).isEmpty();
            gate.open();
            job.awaitRunning(LIMIT);
            send(kafka, IDS / 2, 2 * IDS);
            job.await(
                    "read",
                    LIMIT,
                    () -> flink.metrics().total("Deduplicate: dedup", "records") >= IDS * 3 / 2);
            job.stopWithSavepoint(false);

            assertThat(Topics.readAll(kafka, "orders-deduplicated"))
                    .extracting(record -> new String(record.key(), UTF_8))
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(0, 2 * IDS).mapToObj(Integer::toString).toList());
        }
    }

    private static StreamExecutionEnvironment env(String brokers) throws IOException {
        DedupOptions options =
                DedupOptions.parse(
                        "--bootstrap-servers=" + brokers,
                        "--input-topic=orders",
                        "--within=1h",
                        "--parallelism=2",
                        "--checkpoint-interval=5s",
                        "--transaction-timeout=5s");
        JobTopics.prepare(options);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        DedupJob.define(env, options);
        // None comes by itself.
        env.enableCheckpointing(Duration.ofDays(10).toMillis());
        return env;
    }

    private static void send(EmbeddedKafka kafka, int from, int to) {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (int id = from; id < to; id++) {
                byte[] bytes = Integer.toString(id).getBytes(UTF_8);
                var unused = producer.send(new ProducerRecord<>("orders", bytes, bytes));
            }
        }
    }

    private static long aborted(EmbeddedKafka kafka) {
        return transactions(kafka, TransactionState.COMPLETE_ABORT);
    }

    private static long ongoing(EmbeddedKafka kafka) {
        return transactions(kafka, TransactionState.ONGOING);
    }

    private static long transactions(EmbeddedKafka kafka, TransactionState state) {
        try (Admin admin = kafka.admin()) {
            return admin.listTransactions().all().get().stream()
                    .map(TransactionListing::state)
                    .filter(state::equals)
                    .count();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
