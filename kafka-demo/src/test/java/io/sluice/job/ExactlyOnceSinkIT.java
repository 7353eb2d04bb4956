/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.sluice.local.EmbeddedKafka;
import io.sluice.local.LocalFlink;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a job leaves behind on a TaskManager that other jobs use after it. */
class ExactlyOnceSinkIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    /** How Kafka's client for administration names its thread. */
    private static final String ADMIN_THREAD = "kafka-admin-client-thread";

    @TempDir private static Path folder;

    @Test
    void aJobThatHasEndedLeavesNoClientForAdministration() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder);
                LocalFlink flink = LocalFlink.start(folder, 1, 2)) {
            kafka.createTopics(1, "orders");
            try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
                for (String id : List.of("a", "b", "a")) {
                    var unused =
                            producer.send(
                                    new ProducerRecord<>(
                                            "orders", id.getBytes(UTF_8), id.getBytes(UTF_8)));
                }
            }
            List<Thread> before = adminThreads();

            run(kafka, flink, "--bounded");

            assertThat(Topics.readAll(kafka, "orders-deduplicated")).hasSize(2);
            awaitNoMoreThan(before);
        }
    }

    /** With a broker that answers, but has no transaction for anybody. */
    @Test
    void aJobThatFailsWhileItsWritersStartLeavesNoClientForAdministration() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder);
                LocalFlink flink = LocalFlink.start(folder, 1, 2)) {
            kafka.createTopics(1, "orders");
            List<Thread> before = adminThreads();

            assertThatIOException()
                    .isThrownBy(() -> run(kafka, flink, "--transaction-timeout=24h"))
                    .withStackTraceContaining("transaction timeout is larger than the maximum");

            awaitNoMoreThan(before);
        }
    }

    private static void run(EmbeddedKafka kafka, LocalFlink flink, String option) throws Exception {
        DedupOptions options =
                DedupOptions.parse(
                        "--bootstrap-servers=" + kafka.bootstrapServers(),
                        "--input-topic=orders",
                        "--within=1h",
                        "--parallelism=2",
                        option);
        JobTopics.prepare(options);
        Configuration once = new Configuration();
        once.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(once);
        DedupJob.define(env, options);
        flink.submit(env, "orders").awaitFinished(LIMIT);
    }

    /** A client's thread ends a moment after the client is closed. */
    private static void awaitNoMoreThan(List<Thread> before) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!before.containsAll(adminThreads()) && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertThat(before).containsAll(adminThreads());
    }

    private static List<Thread> adminThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(ADMIN_THREAD))
                .toList();
    }
}
