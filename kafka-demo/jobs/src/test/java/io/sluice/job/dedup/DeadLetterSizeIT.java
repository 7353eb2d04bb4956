/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.job.DeadLetterSchema;
import io.sluice.job.JobTopics;
import io.sluice.job.Packets;
import io.sluice.job.Topics;
import io.sluice.job.counters.CountersJob;
import io.sluice.job.counters.CountersOptions;
import io.sluice.record.OperationBytes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.TopicConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Foreign records that their topic does not take as a dead letter. */
class DeadLetterSizeIT {
    private static final Duration LIMIT = Duration.ofMinutes(1);

    /** The largest value that the broker takes with its default of {@code max.message.bytes}. */
    private static final int LARGEST_VALUE = 1_048_588 - 61 - 11;

    @TempDir private Path folder;

    @Test
    void aRecordAsLargeAsTheBrokerTakesBecomesADeadLetterThatIsCut() throws Exception {
        byte[] pill = random(LARGEST_VALUE);
        List<ConsumerRecord<byte[], byte[]>> letters = letters(Map.of(), null, pill);

        assertThat(letters).hasSize(2);
        requireCut(letters.get(0), pill, 1_040_000);
        assertThat(letters.get(1).value()).as("a small one is whole").isEqualTo(new byte[] {1, 2});
        assertThat(letters.get(1).headers().lastHeader(DeadLetterSchema.VALUE_LENGTH)).isNull();
    }

    @Test
    void aDeadLetterFitsAsWellWhereItsTopicTakesLess() throws Exception {
        byte[] pill = random(100_000);
        List<ConsumerRecord<byte[], byte[]>> letters =
                letters(Map.of(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, "2000"), null, pill);

        assertThat(letters).hasSize(2);
        requireCut(letters.get(0), pill, 1000);
    }

    @Test
    void aKeyThatDoesNotFitIsCutToo() throws Exception {
        byte[] key = random(50_000);
        List<ConsumerRecord<byte[], byte[]>> letters =
                letters(Map.of(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, "2000"), key, random(3));

        assertThat(letters).hasSize(2);
        ConsumerRecord<byte[], byte[]> cut = letters.get(0);
        assertThat(cut.key()).isEqualTo(Arrays.copyOf(key, cut.key().length)).hasSizeLessThan(2000);
        assertThat(Topics.header(cut, DeadLetterSchema.KEY_LENGTH)).isEqualTo("50000");
        assertThat(Topics.header(cut, DeadLetterSchema.OFFSET)).isEqualTo("0");
    }

    /** A compacted topic takes no record without a key. */
    @Test
    void aDeadLetterWithoutAKeyGetsAnEmptyOneWhereItsTopicIsCompacted() throws Exception {
        byte[] pill = random(2000);
        List<ConsumerRecord<byte[], byte[]>> letters =
                letters(
                        Map.of(
                                TopicConfig.CLEANUP_POLICY_CONFIG,
                                TopicConfig.CLEANUP_POLICY_COMPACT,
                                TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
                                "2000"),
                        null,
                        pill);

        assertThat(letters).hasSize(2);
        requireCut(letters.get(0), pill, 1000);
        assertThat(letters)
                .allSatisfy(letter -> assertThat(letter.key()).isEqualTo(new byte[0]))
                .allSatisfy(
                        letter ->
                                assertThat(letter.headers().lastHeader(DeadLetterSchema.KEY_LENGTH))
                                        .isNull());
    }

    private static void requireCut(
            ConsumerRecord<byte[], byte[]> letter, byte[] original, int atLeast) {
        assertThat(letter.value())
                .isEqualTo(Arrays.copyOf(original, letter.value().length))
                .hasSizeBetween(atLeast, original.length - 1);
        assertThat(Topics.header(letter, DeadLetterSchema.VALUE_LENGTH))
                .isEqualTo(Integer.toString(original.length));
        assertThat(Topics.header(letter, DeadLetterSchema.REASON)).isEqualTo("foreign");
        assertThat(Topics.header(letter, DeadLetterSchema.TOPIC)).isEqualTo("packets");
        assertThat(Topics.header(letter, DeadLetterSchema.PARTITION)).isEqualTo("0");
        assertThat(Topics.header(letter, DeadLetterSchema.OFFSET)).isEqualTo("0");
    }

    /** What happens to a foreign record, followed by a small foreign one and an operation. */
    private List<ConsumerRecord<byte[], byte[]>> letters(
            Map<String, String> deadLetterTopic, byte[] key, byte[] value) throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder);
                LocalFlink flink = LocalFlink.start(folder, 1, 1)) {
            kafka.createTopics(1, "packets");
            kafka.createTopics(1, deadLetterTopic, "counters-dead-letters");
            try (KafkaProducer<byte[], byte[]> producer = Topics.producer(kafka)) {
                producer.send(new ProducerRecord<>("packets", key, value)).get();
                producer.send(new ProducerRecord<>("packets", new byte[] {1, 2})).get();
                producer.send(new ProducerRecord<>("packets", OperationBytes.of(1, Packets.START)))
                        .get();
            }
            CountersOptions options =
                    CountersOptions.parse(
                            "--bootstrap-servers=" + kafka.bootstrapServers(), "--bounded");
            JobTopics.prepare(options);
            StreamExecutionEnvironment env =
                    StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
            env.setParallelism(1);
            CountersJob.define(env, options);
            flink.submit(env, "poison pill").awaitFinished(LIMIT);

            assertThat(Topics.sum(kafka, options.outputTopic)).isEqualTo(1);
            assertThat(flink.metrics().total("write-dead-letters: Writer", "cutDeadLetters"))
                    .isEqualTo(1);
            return Topics.readAll(kafka, options.deadLetterTopic);
        }
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(7).nextBytes(bytes);
        return bytes;
    }
}
