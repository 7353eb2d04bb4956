/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.Topics;
import io.sluice.kafka.Brokers;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/** State of other ids, times or topics. */
class StateIdentityIT extends DedupFixture {
    private void send(int first, int count) {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            for (int i = first; i < first + count; i++) {
                String value = "{\"a\":" + i + ",\"b\":" + -i + "}";
                var unused = producer.send(new ProducerRecord<>(topic, value.getBytes(UTF_8)));
            }
        }
    }

    private String savepointOf(int records, String... more) throws Exception {
        RunningJob job = flink.submit(env(more), topic);
        job.awaitRunning(LIMIT);
        job.await(
                "read",
                LIMIT,
                () -> flink.metrics().total(DedupJob.OPERATOR, "records") == records);
        return job.stopWithSavepoint(false);
    }

    private void assertRefused(String savepoint, String message, String... more)
            throws IOException {
        RunningJob job = flink.submit(env(more), topic, savepoint);
        assertThatIOException()
                .isThrownBy(() -> job.awaitFinished(LIMIT))
                .withMessageContaining(message);
    }

    private void assertGoesOn(String savepoint, int written, String... more) throws Exception {
        RunningJob job = flink.submit(env(more), topic, savepoint);
        job.awaitRunning(LIMIT);
        job.await(
                "written",
                LIMIT,
                () -> flink.metrics().total("write-output: Writer", "numRecordsSend") >= written);
        job.stopWithSavepoint(false);
        assertThat(Topics.readAll(kafka, topic + "-out")).hasSize(written);
    }

    @Test
    void stateOfOtherIdsOrTimesIsRefusedNamingBoth() throws Exception {
        send(0, 100);
        String savepoint = savepointOf(100, "--id=json:/a,json:/b");

        assertRefused(
                savepoint,
                "the state was made with --id json:/a,json:/b, and now it is json:/b,json:/a",
                "--id=json:/b,json:/a");
        assertRefused(
                savepoint,
                "the state was made with --time-unit ms, and now it is us",
                "--id=json:/a,json:/b",
                "--time-unit=us");
        send(50, 100);
        assertGoesOn(savepoint, 150, "--id=json:/a", "--id=json:/b", "--time-unit=ms");
    }

    @Test
    void stateOfAnotherContentIsRefusedNamingBoth() throws Exception {
        send(0, 10);
        String savepoint =
                savepointOf(10, "--id=json:/a", "--on-conflict=count", "--content=json:/b");

        assertRefused(
                savepoint,
                "the state was made with --content json:/b, and now it is json:/a",
                "--id=json:/a",
                "--on-conflict=count",
                "--content=json:/a");
        send(5, 10);
        assertGoesOn(savepoint, 15, "--id=json:/a");
    }

    @Test
    void aTopicThatWasMadeAnewIsRefusedOrReadFromItsBeginning() throws Exception {
        send(0, 100);
        String savepoint = savepointOf(100, "--id=value");
        try (Admin admin = Brokers.at(kafka.bootstrapServers()).admin(Brokers.TIMEOUT)) {
            admin.deleteTopics(List.of(topic)).all().get();
        }
        kafka.createTopics(2, topic);
        send(1000, 150);

        assertRefused(savepoint, "topic '" + topic + "' was deleted and made anew", "--id=value");
        assertGoesOn(savepoint, 250, "--id=value", "--accept-new-topic");
    }

    @Test
    void aTopicThatIsLeftOutIsRefused() throws Exception {
        kafka.createTopics(2, topic + "-other");
        send(0, 10);
        String savepoint =
                savepointOf(10, "--id=value", "--input-topic=" + topic + "," + topic + "-other");

        assertRefused(
                savepoint,
                "the state is of topic '" + topic + "', but --input-topic names",
                "--id=value",
                "--input-topic=" + topic + "-other");
    }
}
