/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.kafka.Brokers;
import java.util.List;
import java.util.concurrent.ExecutionException;
import javax.annotation.Nullable;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.header.Header;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How large a record may be. */
final class RecordLimit {
    /** Our producers refuse larger records, whatever the topic takes. */
    static final int PRODUCER_BYTES = 32 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(RecordLimit.class);

    /** Kafka's default of {@code max.message.bytes}. */
    private static final int DEFAULT_TOPIC_BYTES = 1_048_588;

    /** A batch of one record, without its key, value and headers: 61 bytes, and at most 21 more. */
    private static final int FRAME_BYTES = 61 + 21;

    /** The most bytes of a length, which precedes a key, a value, a header's name and its value. */
    private static final int LENGTH_BYTES = 5;

    private RecordLimit() {}

    /**
     * The largest {@link #sizeOf} that {@code topic} takes now. If the broker does not tell it, the
     * default is assumed.
     */
    static int of(Brokers brokers, String topic) {
        int bytes = DEFAULT_TOPIC_BYTES;
        try (Admin admin = brokers.admin(JobTopics.TIMEOUT)) {
            ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
            bytes =
                    Integer.parseInt(
                            admin.describeConfigs(List.of(resource))
                                    .all()
                                    .get()
                                    .get(resource)
                                    .get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG)
                                    .value());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | KafkaException | NumberFormatException e) {
            LOG.warn(
                    "The broker does not tell max.message.bytes of topic '{}'; {} is assumed. If"
                            + " the topic takes less, allow the job to describe its configuration.",
                    topic,
                    bytes,
                    e);
        }
        return uncompressed(bytes);
    }

    /** Compression enlarges incompressible data: by 4 bytes per 64 KiB, plus 100. */
    private static int uncompressed(int bytes) {
        return Math.min(PRODUCER_BYTES, bytes - bytes / 4096 - 100);
    }

    /** An upper bound of the bytes of a record alone in its batch. */
    static int sizeOf(ProducerRecord<byte[], byte[]> record) {
        long bytes = FRAME_BYTES + length(record.key()) + length(record.value());
        for (Header header : record.headers()) {
            // No character of our names takes more than one byte.
            bytes += LENGTH_BYTES + header.key().length() + length(header.value());
        }
        return (int) Math.min(Integer.MAX_VALUE, bytes);
    }

    private static long length(@Nullable byte[] bytes) {
        return bytes == null ? LENGTH_BYTES : (long) LENGTH_BYTES + bytes.length;
    }
}
