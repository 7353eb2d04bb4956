/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.flink.BelievableWatermarks;
import io.sluice.kafka.Brokers;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.function.Function;
import org.apache.flink.api.common.eventtime.SerializableTimestampAssigner;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.KafkaSinkBuilder;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.compress.Compression;

/**
 * Sources and sinks of all jobs.
 *
 * <p>Records are small and many: the work per request, per poll and per batch limits a job, so each
 * of these carries far more than with Kafka's defaults, which aim at low latency.
 */
final class KafkaEnds {
    private static final int POLL_RECORDS = 20_000;
    private static final int FETCH_BYTES_PER_PARTITION = 8 << 20;
    static final String COMMITTED = "read_committed";
    private static final int PRODUCER_BATCH_BYTES = 256 << 10;
    private static final int PRODUCER_BUFFER_BYTES = 64 << 20;
    private static final String COMPRESSION = "lz4";
    private static final int PRODUCER_LINGER_MILLIS = 20;

    private KafkaEnds() {}

    /**
     * A source of committed records, from the beginning, or from the offsets of a savepoint: not
     * from committed offsets, since a job without its state has to begin again. It has no schema
     * yet.
     */
    static <T> KafkaSourceBuilder<T> source(Brokers brokers, List<String> topics, String group) {
        return KafkaSource.<T>builder()
                .setTopics(topics)
                .setGroupId(group)
                .setClientIdPrefix(group)
                .setStartingOffsets(OffsetsInitializer.earliest())
                .setProperty(ConsumerConfig.ISOLATION_LEVEL_CONFIG, COMMITTED)
                .setProperty(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, Integer.toString(POLL_RECORDS))
                .setProperty(
                        ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
                        Integer.toString(FETCH_BYTES_PER_PARTITION))
                .setProperties(brokers.consumer());
    }

    /**
     * Sets object reuse, checkpoints and, if given, the parallelism, and adds the source: the
     * operations of the input topic, with all other records in a side output of {@link
     * SplitIncoming}. Event time is capture time, whatever Kafka's own timestamps say.
     *
     * @param group whose offsets are committed
     * @param bounded whether the source ends at the present end of the topic
     * @param reduction what is kept of an operation
     * @param name and uid of the source
     */
    static <T> SingleOutputStreamOperator<T> operations(
            StreamExecutionEnvironment env,
            JobArguments options,
            String group,
            boolean bounded,
            Reduction<T> reduction,
            String name) {
        KafkaSourceBuilder<Incoming> builder =
                KafkaEnds.<Incoming>source(options.brokers(), options.inputTopics(), group)
                        // A packet record's own checksum covers what matters; the batch checksum
                        // would only cover all bytes again.
                        .setProperty(ConsumerConfig.CHECK_CRCS_CONFIG, "false");
        return read(
                        env,
                        options,
                        builder,
                        group,
                        bounded,
                        new IncomingSchema(),
                        lags ->
                                eventTime(
                                        options,
                                        lags,
                                        (incoming, kafkaTime) -> incoming.timestampMillis()),
                        name,
                        Incoming.TYPE)
                .process(new SplitIncoming<>(reduction), reduction.type())
                .uid("split")
                .name("split");
    }

    /**
     * Sets object reuse, checkpoints and, if given, the parallelism, and adds a source.
     *
     * @param builder by {@link #source}
     * @param group whose offsets are committed
     * @param bounded whether the source ends at the present end of the topics
     * @param times timestamps and watermarks, with or without use of the lags
     * @param name and uid of the source
     */
    static <T> SingleOutputStreamOperator<T> read(
            StreamExecutionEnvironment env,
            JobArguments options,
            KafkaSourceBuilder<T> builder,
            String group,
            boolean bounded,
            KafkaRecordDeserializationSchema<T> schema,
            Function<PartitionLags, WatermarkStrategy<T>> times,
            String name,
            TypeInformation<T> type) {
        env.getConfig().enableObjectReuse();
        env.enableCheckpointing(
                options.checkpointInterval.toMillis(), CheckpointingMode.EXACTLY_ONCE);
        if (options.parallelism != null) {
            env.setParallelism(options.parallelism);
        }
        if (bounded) {
            builder.setBounded(OffsetsInitializer.latest());
        }
        Properties asking = options.brokers().consumer();
        asking.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, COMMITTED);
        asking.put(ConsumerConfig.CLIENT_ID_CONFIG, group + "-ends");
        PartitionLags lags = new PartitionLags();
        return env.fromSource(
                        new LagAwareSource<>(builder, schema, lags, asking),
                        times.apply(lags),
                        name,
                        type)
                .uid(name);
    }

    /**
     * Event time of all jobs: the records' own, unless it is further ahead of the wall clock than a
     * clock can be wrong. It follows them within a small part of the window, however fast they are
     * read. A partition that is silent and read to its end, or that sends only disbelieved times,
     * does not hold event time back.
     */
    static <T> WatermarkStrategy<T> eventTime(
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
     * @param timeout longer than a checkpoint plus a restart
     */
    static <T> void writeOnce(
            DataStream<T> values,
            String uid,
            TopicSchema<T> schema,
            Brokers brokers,
            String transactionalIdPrefix,
            Duration timeout) {
        KafkaSinkBuilder<T> sink =
                KafkaEnds.<T>sink(brokers)
                        // No prefix may be the beginning of another one: no topic or uid contains a
                        // slash.
                        .setTransactionalIdPrefix(transactionalIdPrefix + "/" + uid)
                        .setTransactionNamingStrategy(TransactionNamingStrategy.POOLING)
                        .setRecordSerializer(schema)
                        .setProperty(
                                ProducerConfig.TRANSACTION_TIMEOUT_CONFIG,
                                Long.toString(timeout.toMillis()));
        values.sinkTo(JobSink.exactlyOnce(sink)).uid("write-" + uid).name("write-" + uid);
    }

    /**
     * Writes every value at least once, visible at once.
     *
     * @param uid of the values
     */
    static <T> void writeAtLeastOnce(
            DataStream<T> values,
            String uid,
            KafkaRecordSerializationSchema<T> schema,
            Brokers brokers) {
        values.sinkTo(JobSink.atLeastOnce(KafkaEnds.<T>sink(brokers).setRecordSerializer(schema)))
                .uid("write-" + uid)
                .name("write-" + uid);
    }

    /** A sink without a guarantee yet, and without a schema. */
    private static <T> KafkaSinkBuilder<T> sink(Brokers brokers) {
        return KafkaSink.<T>builder()
                .setProperty(
                        ProducerConfig.BATCH_SIZE_CONFIG, Integer.toString(PRODUCER_BATCH_BYTES))
                .setProperty(
                        ProducerConfig.BUFFER_MEMORY_CONFIG,
                        Integer.toString(PRODUCER_BUFFER_BYTES))
                // Dead letters may be as large as their topic takes.
                .setProperty(
                        ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                        Integer.toString(RecordLimit.PRODUCER_BYTES))
                .setProperty(
                        ProducerConfig.LINGER_MS_CONFIG, Integer.toString(PRODUCER_LINGER_MILLIS))
                .setProperty(ProducerConfig.COMPRESSION_TYPE_CONFIG, COMPRESSION)
                .setKafkaProducerConfig(brokers.producer());
    }

    /** The largest record that the sinks' producers take, before its compression. */
    static int largestRecord(Brokers brokers) {
        Properties users = brokers.producer();
        int largest = RecordLimit.PRODUCER_BYTES;
        for (String limit :
                List.of(
                        ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                        ProducerConfig.BUFFER_MEMORY_CONFIG)) {
            String value = users.getProperty(limit);
            if (value != null) {
                largest = (int) Math.min(largest, Long.parseLong(value));
            }
        }
        return largest;
    }

    /** How the sinks compress. */
    static Compression compression(Brokers brokers) {
        String name =
                brokers.producer().getProperty(ProducerConfig.COMPRESSION_TYPE_CONFIG, COMPRESSION);
        return Compression.of(name).build();
    }
}
