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
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker that is away for longer than clients wait, so that starts of the job fail. */
class BrokerOutageIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int FAILED_STARTS = 5;
    private static final int IDS = 100;

    @TempDir private Path folder;

    @Test
    void theJobGoesOnAfterwardsAndItsFailedStartsLeaveNothing() throws Exception {
        int port = Ports.free(1)[0];
        try (LocalFlink flink = LocalFlink.start(folder, 1, 2)) {
            List<Thread> before = ClientThreads.running();
            RunningJob job;
            try (EmbeddedKafka kafka = EmbeddedKafka.open(folder.resolve("broker"), port, port)) {
                kafka.createTopics(2, "orders");
                send(kafka, 0, IDS);
                job = start(kafka, flink);
                job.awaitRunning(LIMIT);
                job.checkpoint();
            }
            long starts = job.restarts();
            job.await("restarted", LIMIT, () -> job.restarts() >= starts + FAILED_STARTS);

            try (EmbeddedKafka kafka = EmbeddedKafka.open(folder.resolve("broker"), port, port)) {
                send(kafka, IDS / 2, 2 * IDS);
                job.awaitRunning(LIMIT);
                job.await(
                        "done",
                        LIMIT,
                        () -> Topics.readAll(kafka, "orders-deduplicated").size() == 2 * IDS);
                job.stopWithSavepoint(false);

                assertThat(Topics.readAll(kafka, "orders-deduplicated"))
                        .extracting(record -> new String(record.key(), UTF_8))
                        .containsExactlyInAnyOrderElementsOf(
                                IntStream.range(0, 2 * IDS).mapToObj(Integer::toString).toList());
            }
            ClientThreads.awaitNoneBut(before);
        }
    }

    private static void send(EmbeddedKafka kafka, int from, int to) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            Future<RecordMetadata> last = null;
            for (int id = from; id < to; id++) {
                byte[] bytes = Integer.toString(id).getBytes(UTF_8);
                last = producer.send(new ProducerRecord<>("orders", bytes, bytes));
            }
            last.get();
        }
    }

    /** With clients that give up soon. */
    private static RunningJob start(EmbeddedKafka kafka, LocalFlink flink) throws Exception {
        DedupOptions options =
                DedupOptions.parse(
                        "--bootstrap-servers=" + kafka.bootstrapServers(),
                        "--input-topic=orders",
                        "--within=1h",
                        "--parallelism=2",
                        "--checkpoint-interval=500ms",
                        "--kafka-property=default.api.timeout.ms=2000",
                        "--kafka-property=request.timeout.ms=1000",
                        "--kafka-property=delivery.timeout.ms=2000",
                        "--kafka-property=max.block.ms=2000");
        JobTopics.prepare(options);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        DedupJob.define(env, options);
        return flink.submit(env, "orders");
    }
}
