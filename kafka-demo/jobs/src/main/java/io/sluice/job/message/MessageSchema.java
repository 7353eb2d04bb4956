/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.message;

import io.sluice.kafka.TopicSchema;
import io.sluice.message.KafkaMessage;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * A record as it came: key, value, headers and timestamp, and either the number of its partition or
 * the partition of its key. If the topic has fewer partitions than that, its key decides, counted
 * in {@value #REPARTITIONED}.
 */
public final class MessageSchema extends TopicSchema<KafkaMessage> {
    /** Counts records that are not in the partition of the same number. */
    public static final String REPARTITIONED = "repartitioned";

    private final boolean keepPartition;

    private transient Counter repartitioned = new SimpleCounter();

    /**
     * @param keepPartition whether a record keeps the number of its partition
     */
    MessageSchema(String topic, boolean keepPartition) {
        super(topic);
        this.keepPartition = keepPartition;
    }

    @Override
    protected void begin(MetricGroup metrics) {
        repartitioned = metrics.counter(REPARTITIONED);
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(
            KafkaMessage message, KafkaSinkContext context, Long time) {
        return new ProducerRecord<>(
                topic,
                partition(message, context),
                message.timestamp() < 0 ? null : message.timestamp(),
                message.key(),
                message.value(),
                new RecordHeaders(message.headers()));
    }

    private Integer partition(KafkaMessage message, KafkaSinkContext context) {
        if (!keepPartition) {
            return null;
        }
        if (message.partition() >= context.getPartitionsForTopic(topic).length) {
            repartitioned.inc();
            return null;
        }
        return message.partition();
    }
}
