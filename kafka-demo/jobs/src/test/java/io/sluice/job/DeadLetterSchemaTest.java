/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.kafka.TopicLimits;
import java.time.Duration;
import java.util.stream.IntStream;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema.KafkaSinkContext;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/** Where a dead letter is put, and with which time. */
class DeadLetterSchemaTest {
    private static final long WEEK = Duration.ofDays(7).toMillis();

    private final DeadLetterSchema<Rejected> schema =
            new DeadLetterSchema<>("letters", null, rejected -> rejected);

    private ProducerRecord<byte[], byte[]> letter(int partition, long timestamp) {
        return schema.serialize(
                new Rejected("no-id", "in", partition, 7, timestamp, null, new byte[1]),
                new TwoPartitions(),
                null);
    }

    private void topic(long keptMillis, long beforeMillis) {
        schema.open(new TopicLimits(1000, 1000, beforeMillis, Long.MAX_VALUE, keptMillis, false));
    }

    @Test
    void aLetterHasThePartitionAndTheTimestampOfItsRecord() {
        topic(WEEK, Long.MAX_VALUE);
        long now = System.currentTimeMillis();
        ProducerRecord<byte[], byte[]> letter = letter(1, now - 1000);
        assertThat(letter.partition()).isEqualTo(1);
        assertThat(letter.timestamp()).isEqualTo(now - 1000);
        assertThat(header(letter)).isEqualTo(Long.toString(now - 1000));
    }

    @Test
    void aPartitionThatTheTopicDoesNotHaveIsChosenByTheProducer() {
        topic(WEEK, Long.MAX_VALUE);
        assertThat(letter(2, 5).partition()).isNull();
    }

    @Test
    void aTimestampThatTheTopicRefusesOrSoonDeletesIsInAHeaderAlone() {
        long old = System.currentTimeMillis() - WEEK;
        topic(WEEK, Long.MAX_VALUE);
        assertThat(letter(0, old).timestamp()).isNull();
        topic(Long.MAX_VALUE, WEEK / 2);
        assertThat(letter(0, old).timestamp()).isNull();
        assertThat(header(letter(0, old))).isEqualTo(Long.toString(old));
        topic(Long.MAX_VALUE, Long.MAX_VALUE);
        assertThat(letter(0, old).timestamp()).isEqualTo(old);
        assertThat(letter(0, -1).timestamp()).isNull();
    }

    private static String header(ProducerRecord<byte[], byte[]> letter) {
        return new String(letter.headers().lastHeader(DeadLetterSchema.TIMESTAMP).value(), UTF_8);
    }

    private record TwoPartitions() implements KafkaSinkContext {
        @Override
        public int getParallelInstanceId() {
            return 0;
        }

        @Override
        public int getNumberOfParallelInstances() {
            return 1;
        }

        @Override
        public int[] getPartitionsForTopic(String topic) {
            return IntStream.range(0, 2).toArray();
        }
    }
}
