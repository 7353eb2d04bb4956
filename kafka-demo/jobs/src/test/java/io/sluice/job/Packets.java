/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.record.OperationBytes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Packet records at times that a test chooses. */
public final class Packets {
    /** When the first packet of each partition was captured. */
    public static final Instant START = Instant.parse("2024-05-01T12:00:00Z");

    private Packets() {}

    /**
     * Sends {@code each} new operations to each partition, starting at {@link #START}, one every
     * {@code step}. Fails if one of them does not arrive.
     */
    public static void send(
            EmbeddedKafka kafka, String topic, int partitions, int each, Duration step)
            throws Exception {
        List<Future<RecordMetadata>> sent = new ArrayList<>(partitions * each);
        try (KafkaProducer<byte[], byte[]> producer =
                Topics.producer(
                        kafka,
                        Map.of(
                                ProducerConfig.LINGER_MS_CONFIG,
                                20,
                                ProducerConfig.BATCH_SIZE_CONFIG,
                                128 << 10,
                                ProducerConfig.COMPRESSION_TYPE_CONFIG,
                                "lz4"))) {
            for (int i = 0; i < each; i++) {
                Instant time = START.plus(step.multipliedBy(i));
                for (int p = 0; p < partitions; p++) {
                    ProducerRecord<byte[], byte[]> record =
                            new ProducerRecord<>(
                                    topic, p, null, OperationBytes.of((long) p * each + i, time));
                    sent.add(producer.send(record));
                }
            }
            producer.flush();
            for (Future<RecordMetadata> result : sent) {
                result.get();
            }
        }
    }
}
