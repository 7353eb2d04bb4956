/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.message.Field;
import io.sluice.message.KafkaMessage;
import io.sluice.message.MessageReader;
import io.sluice.message.MessageTypeInfoFactory;
import io.sluice.message.SchemaRegistry;
import io.sluice.message.SchemaRegistryException;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Every Kafka record becomes one {@link KafkaMessage}. No bytes make it throw; a schema registry
 * that does not answer does, for Flink to try again.
 */
final class MessageSource implements KafkaRecordDeserializationSchema<KafkaMessage> {
    private final ArrayList<Field> idFields;
    private final @Nullable Field timeField;
    private final boolean needsTime;
    private final @Nullable SchemaRegistry registry;

    private transient MessageReader reader;

    /** The arguments are those of {@link MessageReader}. */
    MessageSource(
            List<Field> idFields,
            @Nullable Field timeField,
            boolean needsTime,
            @Nullable SchemaRegistry registry) {
        this.idFields = new ArrayList<>(idFields);
        this.timeField = timeField;
        this.needsTime = needsTime;
        this.registry = registry;
    }

    @Override
    public void open(DeserializationSchema.InitializationContext context) {
        reader = new MessageReader(idFields, timeField, needsTime, registry);
    }

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<KafkaMessage> out)
            throws SchemaRegistryException {
        out.collect(reader.read(record));
    }

    @Override
    public TypeInformation<KafkaMessage> getProducedType() {
        return MessageTypeInfoFactory.TYPE;
    }
}
