/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.Topics;
import io.sluice.kafka.Brokers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/** Jobs that write without transactions. */
class DeliveryIT extends DedupFixture {
    /** Each twice. */
    private void send(int first, int count) {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (int i = 2 * first; i < 2 * (first + count); i++) {
                byte[] key = Integer.toString(i / 2).getBytes(UTF_8);
                var unused = producer.send(new ProducerRecord<>(topic, key, key));
            }
            var unused = producer.send(new ProducerRecord<>(topic, null, new byte[1]));
        }
    }

    private StreamExecutionEnvironment job(String delivery) throws IOException {
        return env(
                "--on-duplicate=topic", "--delivery=" + delivery, "--checkpoint-interval=10 min");
    }

    private List<Integer> output() {
        List<Integer> keys = new ArrayList<>();
        Topics.readAll(kafka, topic + "-out")
                .forEach(record -> keys.add(Integer.parseInt(new String(record.key(), UTF_8))));
        keys.sort(null);
        return keys;
    }

    private void await(RunningJob job, int written) throws IOException {
        job.await(written + " written", LIMIT, () -> output().size() >= written);
    }

    @Test
    void atLeastOnceRecordsAreVisibleBeforeTheirCheckpointAndThereIsNoTransaction()
            throws Exception {
        send(0, 100);
        RunningJob job = flink.submit(job("at-least-once"), topic);
        job.awaitRunning(LIMIT);
        await(job, 100);
        job.checkpoint();
        int checkpoints = job.checkpoints().size();
        send(100, 20);
        await(job, 120);
        assertThat(job.checkpoints()).hasSize(checkpoints);
        try (Admin admin = Brokers.at(kafka.bootstrapServers()).admin(Brokers.TIMEOUT)) {
            assertThat(admin.listTransactions().all().get())
                    .noneMatch(each -> each.transactionalId().contains(topic));
        }
        job.await(
                "all written",
                LIMIT,
                () ->
                        Topics.readAll(kafka, topic + "-out-duplicates").size() == 120
                                && Topics.readAll(kafka, topic + "-out-dead-letters").size() == 2);
        job.cancel();
    }

    @Test
    void afterAFailureOnlyWhatFollowedTheLastCheckpointIsWrittenTwice() throws Exception {
        send(0, 100);
        RunningJob job = flink.submit(job("at-least-once"), topic);
        job.awaitRunning(LIMIT);
        await(job, 100);
        job.checkpoint();
        send(100, 50);
        await(job, 150);
        flink.replaceTaskManager(0);
        job.await("restarted", LIMIT, () -> job.restarts() > 0 && job.isRunning());
        await(job, 200);
        job.stopWithSavepoint(false);

        List<Integer> expected = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            expected.add(i);
            if (i >= 100) {
                expected.add(i);
            }
        }
        assertThat(output()).isEqualTo(expected);
    }

    @Test
    void aRestoredJobWithTheOtherDeliveryIsRefusedNamingBoth() throws Exception {
        send(0, 10);
        RunningJob job = flink.submit(job("at-least-once"), topic);
        job.awaitRunning(LIMIT);
        await(job, 10);
        job.checkpoint();
        String savepoint = job.stopWithSavepoint(false);

        RunningJob restored = flink.submit(job("exactly-once"), topic, savepoint);
        assertThatIOException()
                .isThrownBy(() -> restored.awaitFinished(LIMIT))
                .withMessageContaining(
                        "the state was made with --delivery at-least-once, and now it is"
                                + " exactly-once");
    }
}
