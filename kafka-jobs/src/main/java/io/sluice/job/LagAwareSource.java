/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import java.io.IOException;
import java.util.Properties;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A {@link KafkaSource} that maintains {@link PartitionLags}: how far each partition is read and,
 * by asking the broker, whether there is more. Its state is that of the Kafka source.
 *
 * @param <T> type of the records
 */
final class LagAwareSource<T>
        implements Source<T, KafkaPartitionSplit, KafkaSourceEnumState>, ResultTypeQueryable<T> {
    private static final long serialVersionUID = 1L;

    private final KafkaSource<T> kafka;
    private final PartitionLags lags;
    private final Properties consumer;

    /**
     * @param builder of a source that begins at the earliest offsets, or at those of a savepoint
     * @param consumer settings for asking the broker where partitions end
     */
    LagAwareSource(
            KafkaSourceBuilder<T> builder,
            KafkaRecordDeserializationSchema<T> schema,
            PartitionLags lags,
            Properties consumer) {
        this.kafka = builder.setDeserializer(new Following<>(schema, lags)).build();
        this.lags = lags;
        this.consumer = consumer;
    }

    @Override
    public Boundedness getBoundedness() {
        return kafka.getBoundedness();
    }

    @Override
    public SourceReader<T, KafkaPartitionSplit> createReader(SourceReaderContext context)
            throws Exception {
        return LagAwareReader.of(kafka.createReader(context), lags, consumer);
    }

    @Override
    public SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> createEnumerator(
            SplitEnumeratorContext<KafkaPartitionSplit> context) throws Exception {
        return kafka.createEnumerator(context);
    }

    @Override
    public SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> restoreEnumerator(
            SplitEnumeratorContext<KafkaPartitionSplit> context, KafkaSourceEnumState checkpoint)
            throws Exception {
        return kafka.restoreEnumerator(context, checkpoint);
    }

    @Override
    public SimpleVersionedSerializer<KafkaPartitionSplit> getSplitSerializer() {
        return kafka.getSplitSerializer();
    }

    @Override
    public SimpleVersionedSerializer<KafkaSourceEnumState> getEnumeratorCheckpointSerializer() {
        return kafka.getEnumeratorCheckpointSerializer();
    }

    @Override
    public TypeInformation<T> getProducedType() {
        return kafka.getProducedType();
    }

    /** Tells which partition's record is about to be emitted, and that it was emitted. */
    private static final class Following<T> implements KafkaRecordDeserializationSchema<T> {
        private static final long serialVersionUID = 1L;

        private final KafkaRecordDeserializationSchema<T> schema;
        private final PartitionLags lags;

        Following(KafkaRecordDeserializationSchema<T> schema, PartitionLags lags) {
            this.schema = schema;
            this.lags = lags;
        }

        @Override
        public void open(DeserializationSchema.InitializationContext context) throws Exception {
            schema.open(context);
        }

        @Override
        public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<T> out)
                throws IOException {
            lags.begin(record);
            schema.deserialize(record, out);
            lags.end(record);
        }

        @Override
        public TypeInformation<T> getProducedType() {
            return schema.getProducedType();
        }
    }
}
