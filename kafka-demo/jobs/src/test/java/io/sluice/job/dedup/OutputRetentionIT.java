/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.job.JobTopics;
import io.sluice.job.OutputRetention;
import io.sluice.job.Topics;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** Records that are older than the output topic keeps records. */
class OutputRetentionIT {
    private static final String DAY = Long.toString(Duration.ofDays(1).toMillis());

    @TempDir private static Path folder;

    private static EmbeddedKafka kafka;

    private String topic;

    @BeforeAll
    static void start() throws IOException {
        kafka = EmbeddedKafka.start(folder);
    }

    @AfterAll
    static void stop() throws IOException {
        kafka.close();
    }

    @BeforeEach
    void topics(TestInfo test) throws IOException {
        topic = test.getTestMethod().orElseThrow().getName();
        kafka.createTopics(2, topic);
    }

    private void send(int partition, Duration age) {
        try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
            long time = System.currentTimeMillis() - age.toMillis();
            byte[] value = age.toString().getBytes(UTF_8);
            var unused = producer.send(new ProducerRecord<>(topic, partition, time, value, value));
        }
    }

    private List<String> warnings() throws IOException {
        DedupOptions options =
                DedupOptions.parse(
                        "--bootstrap-servers=" + kafka.bootstrapServers(),
                        "--input-topic=" + topic,
                        "--output-topic=" + topic + "-out",
                        "--within=1h");
        JobTopics.prepare(options);
        return OutputRetention.warnings(options);
    }

    @Test
    void recordsThatAreAllTooOldAreRefusedNamingBothFigures() throws IOException {
        kafka.createTopics(2, Map.of("retention.ms", DAY), topic + "-out");
        send(0, Duration.ofDays(3).plusMinutes(5).plusSeconds(5));
        send(1, Duration.ofDays(4));

        assertThatIOException()
                .isThrownBy(this::warnings)
                .withMessage(
                        "all records of the input are at least 4325 min old, but topic '"
                                + topic
                                + "-out' keeps records for 1 d only, so Kafka deletes them soon"
                                + " after they are written: raise its retention.ms, or name another"
                                + " topic");
    }

    @Test
    void someRecordsThatAreTooOldAreWarnedAbout() throws IOException {
        kafka.createTopics(2, Map.of("retention.ms", DAY), topic + "-out");
        send(0, Duration.ofDays(3));
        send(1, Duration.ofMinutes(1));

        assertThat(warnings())
                .singleElement()
                .asString()
                .startsWith("the oldest records of the input are about 3 d old, but topic '")
                .contains("keeps records for 1 d only");
    }

    @Test
    void aTopicThatKeepsRecordsLongEnoughOrAsLongAsTheInputIsNot() throws IOException {
        send(0, Duration.ofDays(3));
        assertThat(warnings()).as("made like the input").isEmpty();
        send(1, Duration.ofDays(30));
        assertThat(warnings()).as("the input loses them, too").isEmpty();
    }

    @Test
    void anEmptyInputOrNewRecordsAreNot() throws IOException {
        kafka.createTopics(2, Map.of("retention.ms", DAY), topic + "-out");
        assertThat(warnings()).isEmpty();
        send(0, Duration.ofHours(1));
        assertThat(warnings()).isEmpty();
    }

    @Test
    void aTopicThatTakesTheTimeOfArrivalIsNot() throws IOException {
        kafka.createTopics(
                2,
                Map.of("retention.ms", DAY, "message.timestamp.type", "LogAppendTime"),
                topic + "-out");
        send(0, Duration.ofDays(3));
        assertThat(warnings()).isEmpty();
    }
}
