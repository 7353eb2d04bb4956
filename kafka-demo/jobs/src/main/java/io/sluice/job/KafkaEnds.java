/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.flink.BelievableWatermarks;
import io.sluice.kafka.Brokers;
import io.sluice.kafka.InputTopics;
import io.sluice.kafka.RecordLimit;
import io.sluice.kafka.TopicSchema;
import io.sluice.kafka.commit.JobSink;
import io.sluice.kafka.commit.LostCommits;
import io.sluice.kafka.commit.Provenance;
import io.sluice.kafka.commit.Rewriter;
import io.sluice.kafka.fill.FillFirst;
import io.sluice.kafka.identity.SourceIdentity;
import io.sluice.kafka.pace.IdleWhenRead;
import io.sluice.kafka.pace.LagAwareSource;
import io.sluice.kafka.pace.PartitionLags;
import io.sluice.kafka.pace.StepwiseWatermarks;
import java.util.Properties;
import java.util.function.Function;
import javax.annotation.Nullable;
import org.apache.flink.api.common.eventtime.SerializableTimestampAssigner;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.KafkaSinkBuilder;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.KafkaSourceOptions;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sources and sinks of all jobs.
 *
 * <p>Records are small and many: the work per request, per poll and per batch limits a job, so each
 * of these carries far more than with Kafka's defaults, which aim at low latency.
 */
public final class KafkaEnds {
    /** Name and uid of a source of packets, as metrics and savepoints know it. */
    public static final String PACKETS = "packets";

    /** Uid of the sink of records that could not be read. */
    public static final String DEAD_LETTERS = "dead-letters";

    /** Counts records that could not be read. */
    public static final String REJECTED = "rejected";

    private static final Logger LOG = LoggerFactory.getLogger(KafkaEnds.class);

    /**
     * A larger number is not faster, and a partition that is held is read to the end of a request.
     */
    private static final int POLL_RECORDS = 2_000;

    /**
     * What a consumer holds of each broker until it is read: Kafka's 50 MB for each subtask would
     * be most of a small heap.
     */
    private static final int FETCH_BYTES = 8 << 20;

    public static final String COMMITTED = "read_committed";
    private static final int PRODUCER_BATCH_BYTES = 256 << 10;

    /** Room for the largest record, and for others beside it. */
    private static final int PRODUCER_BUFFER_BYTES = RecordLimit.PRODUCER_BYTES + (4 << 20);

    private static final int PRODUCER_LINGER_MILLIS = 20;

    private KafkaEnds() {}

    /**
     * A source that begins at the first records, or at the offsets of a savepoint: not at committed
     * offsets, since a job without its state has to begin again. It has no settings yet.
     */
    public static <T> KafkaSourceBuilder<T> source(InputTopics topics) {
        return KafkaSource.<T>builder()
                .setKafkaSubscriber(topics.subscriber())
                .setStartingOffsets(OffsetsInitializer.earliest());
    }

    /** The settings of a source's consumer: committed records, many at once. */
    public static Properties consumer(Brokers brokers, String group) {
        Properties settings = new Properties();
        settings.setProperty(
                ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class.getName());
        settings.setProperty(
                ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class.getName());
        settings.setProperty(ConsumerConfig.GROUP_ID_CONFIG, group);
        settings.setProperty(KafkaSourceOptions.CLIENT_ID_PREFIX.key(), group);
        settings.setProperty(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        settings.setProperty(ConsumerConfig.ISOLATION_LEVEL_CONFIG, COMMITTED);
        settings.setProperty(
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG, Integer.toString(POLL_RECORDS));
        settings.setProperty(
                ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, Integer.toString(FETCH_BYTES));
        settings.setProperty(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, Integer.toString(FETCH_BYTES));
        settings.putAll(brokers.consumer());
        settings.setProperty(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        return settings;
    }

    /**
     * Sets object reuse, checkpoints and, if given, the parallelism, and adds a source of the input
     * topics, as {@link #source} makes it.
     *
     * @param settings by {@link #consumer}
     * @param bounded whether the source ends at the present end of the topics
     * @param times timestamps and watermarks, with or without use of the lags
     * @param fill what is read first and only remembered; null if everything is written
     * @param name and uid of the source
     */
    public static <T> SingleOutputStreamOperator<T> read(
            StreamExecutionEnvironment env,
            JobArguments options,
            Properties settings,
            boolean bounded,
            KafkaRecordDeserializationSchema<T> schema,
            Function<PartitionLags, WatermarkStrategy<T>> times,
            @Nullable FillFirst<T> fill,
            String name,
            TypeInformation<T> type) {
        env.getConfig().enableObjectReuse();
        env.enableCheckpointing(
                options.checkpointInterval.toMillis(), CheckpointingMode.EXACTLY_ONCE);
        if (options.parallelism != null) {
            env.setParallelism(options.parallelism);
        }
        if (fill != null && env.getCheckpointConfig().isUnalignedCheckpointsEnabled()) {
            LOG.warn("Checkpoints are aligned, to know when all that is to be remembered is");
            env.getCheckpointConfig().enableUnalignedCheckpoints(false);
        }
        // What comes after the start does not belong to the input of a run that ends.
        InputTopics topics =
                bounded ? InputTopics.named(options.inputTopics()) : options.topicsToRead();
        if (fill != null && fill.only() != null) {
            topics = topics.and(fill.only());
        }
        KafkaSourceBuilder<T> builder = source(topics);
        if (bounded) {
            builder.setBounded(OffsetsInitializer.latest());
        } else {
            settings.setProperty(
                    KafkaSourceOptions.PARTITION_DISCOVERY_INTERVAL_MS.key(),
                    Long.toString(options.discoveryInterval().toMillis()));
        }
        Properties asking = options.brokers().consumer();
        asking.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, COMMITTED);
        asking.put(
                ConsumerConfig.CLIENT_ID_CONFIG,
                settings.getProperty(ConsumerConfig.GROUP_ID_CONFIG) + "-ends");
        PartitionLags lags = new PartitionLags();
        SourceIdentity identity =
                new SourceIdentity(
                        options.brokers(),
                        topics,
                        options.optionsOfTheState(),
                        options.acceptNewTopic);
        return env.fromSource(
                        new LagAwareSource<>(
                                builder,
                                settings,
                                schema,
                                lags,
                                asking,
                                drift(env, options),
                                identity,
                                fill),
                        times.apply(lags),
                        name,
                        type)
                .uid(name);
    }

    private static long drift(StreamExecutionEnvironment env, JobArguments options) {
        long millis = options.driftMillis();
        // That a partition was read to its end, so that no other waits for it any more, is noticed
        // in a periodic call.
        if (millis > 0 && env.getConfig().getAutoWatermarkInterval() == 0) {
            LOG.warn(
                    "{} is 0, so each partition is read as fast as it can, and {} has no effect",
                    PipelineOptions.AUTO_WATERMARK_INTERVAL.key(),
                    JobArguments.MAX_DRIFT);
            return 0;
        }
        return millis;
    }

    /**
     * Event time of all jobs: the records' own, unless it is further ahead of the wall clock than a
     * clock can be wrong. It follows them within a small part of the window, however fast they are
     * read. A partition that is silent and read to its end, or that sends only disbelieved times,
     * does not hold event time back.
     */
    public static <T> WatermarkStrategy<T> eventTime(
            JobArguments options, PartitionLags lags, SerializableTimestampAssigner<T> times) {
        return BelievableWatermarks.of(
                new IdleWhenRead<>(
                        StepwiseWatermarks.of(
                                WatermarkStrategy.<T>forBoundedOutOfOrderness(
                                                options.times.outOfOrderness)
                                        .withTimestampAssigner(times),
                                options.window()),
                        options.idleness,
                        lags),
                options.times.maxAhead);
    }

    /**
     * Writes every value once, visible when its checkpoint completes.
     *
     * @param transactionalIdPrefix unique among the jobs on a broker
     * @param provenance of the values; null if they are computed from more than one record
     */
    public static <T> void writeOnce(
            DataStream<T> values,
            String uid,
            TopicSchema<T> schema,
            JobArguments options,
            String transactionalIdPrefix,
            @Nullable Provenance<T> provenance) {
        Properties producer = producer(options.outputBrokers());
        producer.setProperty(
                ProducerConfig.TRANSACTION_TIMEOUT_CONFIG,
                Long.toString(options.transactionTimeout.toMillis()));
        KafkaSinkBuilder<T> sink =
                KafkaSink.<T>builder()
                        .setKafkaProducerConfig(producer)
                        // No prefix may be the beginning of another one: no topic or uid contains a
                        // slash.
                        .setTransactionalIdPrefix(transactionalIdPrefix + "/" + uid)
                        .setTransactionNamingStrategy(TransactionNamingStrategy.INCREMENTING)
                        .setRecordSerializer(schema);
        LostCommits<T> lostCommits =
                new LostCommits<>(
                        options.onLostCommit,
                        options.outputBrokers(),
                        schema,
                        provenance == null
                                ? null
                                : new Rewriter<>(provenance, schema, options.brokers(), producer));
        values.sinkTo(JobSink.exactlyOnce(sink, lostCommits))
                .uid("write-" + uid)
                .name("write-" + uid);
    }

    /**
     * Writes every value at least once, visible at once.
     *
     * @param uid of the values
     */
    public static <T> void writeAtLeastOnce(
            DataStream<T> values,
            String uid,
            KafkaRecordSerializationSchema<T> schema,
            Brokers brokers) {
        values.sinkTo(
                        JobSink.atLeastOnce(
                                KafkaSink.<T>builder()
                                        .setKafkaProducerConfig(producer(brokers))
                                        .setRecordSerializer(schema)))
                .uid("write-" + uid)
                .name("write-" + uid);
    }

    /** The settings of a producer: large batches, and what the user set. */
    private static Properties producer(Brokers brokers) {
        Properties settings = new Properties();
        settings.setProperty(
                ProducerConfig.BATCH_SIZE_CONFIG, Integer.toString(PRODUCER_BATCH_BYTES));
        settings.setProperty(
                ProducerConfig.BUFFER_MEMORY_CONFIG, Integer.toString(PRODUCER_BUFFER_BYTES));
        // Dead letters may be as large as their topic takes.
        settings.setProperty(
                ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                Integer.toString(RecordLimit.PRODUCER_BYTES));
        settings.setProperty(
                ProducerConfig.LINGER_MS_CONFIG, Integer.toString(PRODUCER_LINGER_MILLIS));
        settings.setProperty(ProducerConfig.COMPRESSION_TYPE_CONFIG, RecordLimit.COMPRESSION);
        settings.putAll(brokers.producer());
        return settings;
    }
}
