/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.message;

import io.sluice.message.KafkaMessage;
import io.sluice.message.MessageLayout;
import io.sluice.message.MessageReader;
import io.sluice.message.MessageTypeInfoFactory;
import io.sluice.message.SchemaRegistryException;
import io.sluice.message.TimeReader;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Every Kafka record becomes one {@link KafkaMessage}. No bytes make it throw; a schema registry
 * that does not answer does, for Flink to try again, and so do times that all seem to count another
 * unit than milliseconds, for good.
 */
public final class MessageSource implements KafkaRecordDeserializationSchema<KafkaMessage> {
    /** Counts records whose time could not be read. */
    static final String UNREADABLE = "unreadableTimes";

    /** Shows the text of the first of them. */
    static final String FIRST_UNREADABLE = "firstUnreadableTime";

    private final MessageLayout layout;

    private transient MessageReader reader;
    private transient TimeReader times;

    public MessageSource(MessageLayout layout) {
        this.layout = layout;
    }

    @Override
    public void open(DeserializationSchema.InitializationContext context) {
        reader = new MessageReader(layout);
        times = reader.times();
        MetricGroup metrics = context.getMetricGroup();
        metrics.gauge(UNREADABLE, times::unreadable);
        metrics.gauge(FIRST_UNREADABLE, times::firstUnreadable);
    }

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<KafkaMessage> out)
            throws SchemaRegistryException {
        KafkaMessage message = reader.read(record);
        if (times.isCertain()) {
            // Read again, they would be the same.
            throw new SuppressRestartsException(
                    new IllegalStateException(TimeFormatArguments.refusal(times)));
        }
        out.collect(message);
    }

    @Override
    public TypeInformation<KafkaMessage> getProducedType() {
        return MessageTypeInfoFactory.TYPE;
    }
}
