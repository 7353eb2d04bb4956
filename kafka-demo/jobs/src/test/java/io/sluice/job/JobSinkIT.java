/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.dedup.DedupJob;
import io.sluice.job.dedup.DedupOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a job leaves behind on a TaskManager that other jobs use after it. */
class JobSinkIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final String OUTPUT = "orders-deduplicated";

    @TempDir private static Path folder;

    @Test
    void aJobThatHasEndedLeavesNoClient() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder);
                LocalFlink flink = LocalFlink.start(folder, 1, 2)) {
            kafka.createTopics(1, "orders");
            send(kafka, "a", "b", "a");
            List<Thread> before = ClientThreads.running();

            submit(kafka, flink, "--bounded").awaitFinished(LIMIT);

            assertThat(Topics.readAll(kafka, OUTPUT)).hasSize(2);
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
                    .isThrownBy(
                            () ->
                                    submit(kafka, flink, "--transaction-timeout=24h")
                                            .awaitFinished(LIMIT))
                    .withStackTraceContaining("transaction timeout is larger than the maximum");

            ClientThreads.awaitNoneBut(before);
        }
    }

    /** The broker is away while a transaction is open, so closing a writer fails. */
    @Test
    void aTaskManagerOutlivesAWriterThatCannotBeClosed() throws Exception {
        try (LocalFlink flink = LocalFlink.start(folder, 1, 2)) {
            RunningJob job;
            try (EmbeddedKafka kafka = EmbeddedKafka.start(folder)) {
                kafka.createTopics(1, "orders");
                send(kafka, "a", "b");
                job =
                        submit(
                                kafka,
                                flink,
                                "--checkpoint-interval=10m",
                                "--kafka-property=max.block.ms=2000");
                job.await("written", LIMIT, () -> Topics.written(kafka, OUTPUT) == 2);
            }

            job.cancel();
            job.await("ended", LIMIT, job::hasEnded);

            StreamExecutionEnvironment other = StreamExecutionEnvironment.getExecutionEnvironment();
            other.fromData(1).sinkTo(new DiscardingSink<>());
            flink.submit(other, "another job").awaitFinished(LIMIT);
        }
    }

    private static void send(EmbeddedKafka kafka, String... ids) {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (String id : ids) {
                var unused =
                        producer.send(
                                new ProducerRecord<>(
                                        "orders", id.getBytes(UTF_8), id.getBytes(UTF_8)));
            }
        }
    }

    private static RunningJob submit(EmbeddedKafka kafka, LocalFlink flink, String... more)
            throws Exception {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "--bootstrap-servers=" + kafka.bootstrapServers(),
                                "--input-topic=orders",
                                "--within=1h",
                                "--parallelism=2"));
        arguments.addAll(List.of(more));
        DedupOptions options = DedupOptions.parse(arguments.toArray(String[]::new));
        JobTopics.prepare(options);
        Configuration once = new Configuration();
        once.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(once);
        DedupJob.define(env, options);
        return flink.submit(env, "orders");
    }
}
