/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import io.sluice.message.Field;
import io.sluice.message.KafkaMessage;
import io.sluice.message.MessageReader;
import io.sluice.message.MessageTypeInfoFactory;
import io.sluice.message.SchemaRegistry;
import io.sluice.message.SchemaRegistryException;
import io.sluice.message.TimeFormat;
import io.sluice.message.TimeReader;
import io.sluice.message.Tombstones;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
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
final class MessageSource implements KafkaRecordDeserializationSchema<KafkaMessage> {
    /** Counts records whose time could not be read. */
    static final String UNREADABLE = "unreadableTimes";

    /** Shows the text of the first of them. */
    static final String FIRST_UNREADABLE = "firstUnreadableTime";

    private final ArrayList<Field> idFields;
    private final @Nullable Field timeField;
    private final boolean needsTime;
    private final TimeFormat format;
    private final @Nullable SchemaRegistry registry;
    private final @Nullable Tombstones tombstones;

    private transient MessageReader reader;
    private transient TimeReader times;

    /** The arguments are those of {@link MessageReader}. */
    MessageSource(
            List<Field> idFields,
            @Nullable Field timeField,
            boolean needsTime,
            TimeFormat format,
            @Nullable SchemaRegistry registry,
            @Nullable Tombstones tombstones) {
        this.idFields = new ArrayList<>(idFields);
        this.timeField = timeField;
        this.needsTime = needsTime;
        this.format = format;
        this.registry = registry;
        this.tombstones = tombstones;
    }

    @Override
    public void open(DeserializationSchema.InitializationContext context) {
        reader = new MessageReader(idFields, timeField, needsTime, format, registry, tombstones);
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
