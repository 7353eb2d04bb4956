/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.local.EmbeddedKafka;
import io.sluice.replay.OperationBytes;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Packet records at times that a test chooses. */
public final class Packets {
    /** When the first packet of each partition was captured. */
    public static final Instant START = Instant.parse("2024-05-01T12:00:00Z");

    private Packets() {}

    /**
     * Sends {@code each} operations to each partition, all new, all partitions from {@link #START}
     * on, one every {@code step}.
     */
    public static void send(
            EmbeddedKafka kafka, String topic, int partitions, int each, Duration step) {
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
                    var unused =
                            producer.send(
                                    new ProducerRecord<>(
                                            topic,
                                            p,
                                            null,
                                            OperationBytes.of((long) p * each + i, time)));
                }
            }
            producer.flush();
        }
    }
}
