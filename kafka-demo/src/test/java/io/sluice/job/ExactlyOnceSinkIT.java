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

    @TempDir private static Path folder;

    @Test
    void aJobThatHasEndedLeavesNoClient() throws Exception {
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
            List<Thread> before = ClientThreads.running();

            run(kafka, flink, "--bounded");

            assertThat(Topics.readAll(kafka, "orders-deduplicated")).hasSize(2);
            ClientThreads.awaitNoneBut(before);
        }
    }

    /** With a broker that answers, but has no transaction for anybody. */
    @Test
    void aJobThatFailsWhileItsWritersStartLeavesNoClient() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder);
                LocalFlink flink = LocalFlink.start(folder, 1, 2)) {
            kafka.createTopics(1, "orders");
            List<Thread> before = ClientThreads.running();

            assertThatIOException()
                    .isThrownBy(() -> run(kafka, flink, "--transaction-timeout=24h"))
                    .withStackTraceContaining("transaction timeout is larger than the maximum");

            ClientThreads.awaitNoneBut(before);
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
}
