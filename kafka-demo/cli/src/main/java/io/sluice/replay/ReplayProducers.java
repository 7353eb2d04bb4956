/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import io.sluice.kafka.BrokerProblem;
import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Producers tuned for throughput: many small records, one connection, everything acknowledged. */
final class ReplayProducers {
    private static final long BUFFER_BYTES = 64L << 20;
    private static final int REQUEST_BYTES = 4 << 20;

    /** A record may always take this long from its sending to its acknowledgement. */
    private static final Duration DELIVERY = Duration.ofMinutes(2);

    /**
     * A record may always wait this long for room: a broker that throttles a client takes nothing
     * from it for seconds.
     */
    private static final Duration ROOM = Duration.ofSeconds(15);

    /** How long a record may take, as a multiple of the broker's timeout. */
    private static final long DELIVERY_TIMEOUTS = 8;

    private ReplayProducers() {}

    static Producer<byte[], byte[]> open(ReplayOptions options) throws ReplayException {
        ReplayTopic.check(options.brokers(), options.topic(), options.brokerTimeout());
        try {
            return new KafkaProducer<>(
                    settings(options), new ByteArraySerializer(), new ByteArraySerializer());
        } catch (KafkaException e) {
            throw new ReplayException(
                    BrokerProblem.describe(options.brokers(), e), BrokerProblem.cause(e));
        }
    }

    private static Properties settings(ReplayOptions options) {
        long timeoutMillis = options.brokerTimeout().toMillis();
        long lingerMillis = options.linger().toMillis();
        Properties settings = new Properties();
        settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        settings.put(ProducerConfig.ACKS_CONFIG, "all");
        settings.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, options.compression());
        settings.put(ProducerConfig.BATCH_SIZE_CONFIG, options.batchBytes());
        settings.put(ProducerConfig.LINGER_MS_CONFIG, lingerMillis);
        settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
        settings.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, REQUEST_BYTES);
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, Math.max(ROOM.toMillis(), timeoutMillis));
        settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) timeoutMillis);
        // A batch waits behind everything sent before it: with many partitions and a slow broker,
        // much longer than one request may take. An absent broker is still noticed: the buffer
        // fills, and waiting for room in it is limited.
        settings.put(
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                (int)
                        Math.min(
                                Integer.MAX_VALUE,
                                Math.max(
                                        DELIVERY.toMillis(),
                                        DELIVERY_TIMEOUTS * timeoutMillis + lingerMillis)));
        settings.putAll(options.brokers().producer());
        return settings;
    }
}
