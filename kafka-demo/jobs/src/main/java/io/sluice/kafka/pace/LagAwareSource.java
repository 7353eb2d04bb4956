/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.pace;

import io.sluice.kafka.fill.FillEnumerator;
import io.sluice.kafka.fill.FillFirst;
import io.sluice.kafka.fill.FillPhase;
import io.sluice.kafka.fill.FillStateSerializer;
import io.sluice.kafka.identity.IdentifiedSplits;
import io.sluice.kafka.identity.SourceIdentity;
import java.io.IOException;
import java.util.Properties;
import javax.annotation.Nullable;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.synchronization.FutureCompletingBlockingQueue;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.metrics.KafkaSourceReaderMetrics;
import org.apache.flink.connector.kafka.source.reader.KafkaRecordEmitter;
import org.apache.flink.connector.kafka.source.reader.KafkaSourceReader;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.util.Collector;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.flink.util.function.SerializableFunction;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A {@link KafkaSource} that maintains {@link PartitionLags}: how far each partition is read and,
 * by asking the broker, whether there is more. Its state is that of the Kafka source, with the
 * {@link SourceIdentity} that it belongs to.
 *
 * @param <T> type of the records
 */
public final class LagAwareSource<T>
        implements Source<T, KafkaPartitionSplit, KafkaSourceEnumState>, ResultTypeQueryable<T> {
    private static final long serialVersionUID = 1L;

    /** Counts records that are only remembered. */
    public static final String REMEMBERED = "onlyRemembered";

    /** Requests that a partition may be read beyond the drift; others are under way by then. */
    private static final int REQUESTS_OF_SLACK = 4;

    private final KafkaSource<T> kafka;
    private final PartitionLags lags;
    private final Properties consumer;
    private final Following<T> schema;
    private final Properties settings;
    private final long driftMillis;
    private final SourceIdentity identity;
    private final @Nullable FillFirst<T> fill;

    /**
     * @param builder of a source that begins at the earliest offsets, or at those of a savepoint
     * @param settings of the source's own consumer
     * @param consumer settings for asking the broker where partitions end
     * @param driftMillis how far partitions may be apart in event time, as in {@link
     *     PartitionPace}; 0 if that does not matter
     * @param identity what the state of the source belongs to
     * @param fill what is read first and only remembered; null if everything is written
     */
    public LagAwareSource(
            KafkaSourceBuilder<T> builder,
            Properties settings,
            KafkaRecordDeserializationSchema<T> schema,
            PartitionLags lags,
            Properties consumer,
            long driftMillis,
            SourceIdentity identity,
            @Nullable FillFirst<T> fill) {
        this.schema = new Following<>(schema, lags, fill);
        this.kafka = builder.setProperties(settings).setDeserializer(this.schema).build();
        this.settings = settings;
        this.lags = lags;
        this.consumer = consumer;
        this.driftMillis = driftMillis;
        this.identity = identity;
        this.fill = fill;
    }

    @Override
    public Boundedness getBoundedness() {
        return kafka.getBoundedness();
    }

    @Override
    public SourceReader<T, KafkaPartitionSplit> createReader(SourceReaderContext context)
            throws Exception {
        FillPhase phase =
                fill == null
                        ? null
                        : new FillPhase(fill.only(), context::sendSourceEventToCoordinator);
        schema.phase = phase;
        HoldingSplitReader.Gate gate = new HoldingSplitReader.Gate();
        PartitionPace pace = driftMillis == 0 ? null : pace(context, gate);
        return LagAwareReader.of(reader(context, gate), lags, consumer, pace, phase);
    }

    private PartitionPace pace(SourceReaderContext context, HoldingSplitReader.Gate gate) {
        String records = settings.getProperty(ConsumerConfig.MAX_POLL_RECORDS_CONFIG);
        return new PartitionPace(
                driftMillis,
                REQUESTS_OF_SLACK * Long.parseLong(records),
                context.currentParallelism() == 1 ? null : context::sendSourceEventToCoordinator,
                gate::hold,
                System::nanoTime);
    }

    /**
     * As the Kafka source makes it, but with a reader of splits that holds what the gate says, and
     * commits by the one that reads.
     */
    private SourceReader<T, KafkaPartitionSplit> reader(
            SourceReaderContext context, HoldingSplitReader.Gate gate) throws Exception {
        schema.open(
                new DeserializationSchema.InitializationContext() {
                    @Override
                    public MetricGroup getMetricGroup() {
                        return context.metricGroup().addGroup("deserializer");
                    }

                    @Override
                    public UserCodeClassLoader getUserCodeClassLoader() {
                        return context.getUserCodeClassLoader();
                    }
                });
        KafkaSourceReaderMetrics metrics = new KafkaSourceReaderMetrics(context.metricGroup());
        FutureCompletingBlockingQueue<RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>>> queue =
                new FutureCompletingBlockingQueue<>();
        Configuration options = new Configuration();
        settings.stringPropertyNames()
                .forEach(name -> options.setString(name, settings.getProperty(name)));
        return new KafkaSourceReader<>(
                queue,
                new ReadingFetcherManager(
                        queue,
                        () -> new HoldingSplitReader(settings, context, metrics, gate),
                        finished -> {}),
                new KafkaRecordEmitter<>(schema),
                options,
                context,
                metrics);
    }

    @Override
    public SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> createEnumerator(
            SplitEnumeratorContext<KafkaPartitionSplit> context) throws Exception {
        return enumerator(
                context,
                own ->
                        fill == null
                                ? kafka.createEnumerator(own)
                                : FillEnumerator.begin(own, fill, kafka::createEnumerator));
    }

    @Override
    public SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> restoreEnumerator(
            SplitEnumeratorContext<KafkaPartitionSplit> context, KafkaSourceEnumState checkpoint)
            throws Exception {
        return enumerator(
                context,
                own ->
                        fill == null
                                ? kafka.restoreEnumerator(own, checkpoint)
                                : FillEnumerator.restore(
                                        own,
                                        checkpoint,
                                        fill,
                                        each -> kafka.restoreEnumerator(each, checkpoint)));
    }

    /**
     * Holds partitions together outside of what says which are read first: of a topic that is only
     * remembered, partitions that come later are found and not assigned, and nobody waits for them.
     */
    private SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> enumerator(
            SplitEnumeratorContext<KafkaPartitionSplit> own,
            PaceEnumerator.Factory<KafkaPartitionSplit, KafkaSourceEnumState> factory)
            throws Exception {
        // A bounded source asks only once.
        SplitEnumeratorContext<KafkaPartitionSplit> context =
                getBoundedness() == Boundedness.BOUNDED ? own : new PatientContext<>(own);
        return driftMillis == 0 || context.currentParallelism() == 1
                ? factory.create(context)
                : PaceEnumerator.of(context, factory, driftMillis, System::nanoTime);
    }

    @Override
    public SimpleVersionedSerializer<KafkaPartitionSplit> getSplitSerializer() {
        return new IdentifiedSplits(kafka.getSplitSerializer(), identity);
    }

    @Override
    public SimpleVersionedSerializer<KafkaSourceEnumState> getEnumeratorCheckpointSerializer() {
        return new FillStateSerializer(
                kafka.getEnumeratorCheckpointSerializer(), identity::topicIds);
    }

    @Override
    public TypeInformation<T> getProducedType() {
        return kafka.getProducedType();
    }

    /**
     * Tells which partition's record is about to be emitted, and that it was emitted; marks and
     * counts those that are only remembered.
     */
    private static final class Following<T> implements KafkaRecordDeserializationSchema<T> {
        private static final long serialVersionUID = 1L;

        private final KafkaRecordDeserializationSchema<T> schema;
        private final PartitionLags lags;
        private final @Nullable FillFirst<T> fill;

        /** Of the reader that uses this; null if everything is written. */
        private transient @Nullable FillPhase phase;

        private transient @Nullable Marking<T> marking;

        Following(
                KafkaRecordDeserializationSchema<T> schema,
                PartitionLags lags,
                @Nullable FillFirst<T> fill) {
            this.schema = schema;
            this.lags = lags;
            this.fill = fill;
        }

        @Override
        public void open(DeserializationSchema.InitializationContext context) throws Exception {
            schema.open(context);
            if (fill != null) {
                marking = new Marking<>(fill.mark(), context.getMetricGroup().counter(REMEMBERED));
            }
        }

        @Override
        public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<T> out)
                throws IOException {
            lags.begin(record);
            if (phase == null || phase.isOver()) {
                schema.deserialize(record, out);
            } else {
                marking.out = out;
                schema.deserialize(record, marking);
            }
            lags.end(record);
        }

        @Override
        public TypeInformation<T> getProducedType() {
            return schema.getProducedType();
        }
    }

    /** Marks and counts what goes through. */
    private static final class Marking<T> implements Collector<T> {
        private final SerializableFunction<T, T> mark;
        private final Counter remembered;

        /** Of the present record. */
        private Collector<T> out;

        Marking(SerializableFunction<T, T> mark, Counter remembered) {
            this.mark = mark;
            this.remembered = remembered;
        }

        @Override
        public void collect(T record) {
            remembered.inc();
            out.collect(mark.apply(record));
        }

        @Override
        public void close() {
            out.close();
        }
    }
}
