/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowedOptions;
import io.sluice.flink.dedup.Deduplicate;
import io.sluice.flink.dedup.WindowTimers;
import io.sluice.job.DeadLetterSchema;
import io.sluice.job.JobTopics;
import io.sluice.job.KafkaEnds;
import io.sluice.job.Rejected;
import io.sluice.kafka.TopicSchema;
import io.sluice.kafka.commit.Provenance;
import io.sluice.kafka.fill.FillFirst;
import io.sluice.message.IdJson;
import io.sluice.message.KafkaMessage;
import io.sluice.message.MessageTypeInfoFactory;
import io.sluice.state.CascadeBackendOptions;
import io.sluice.state.CascadeStateBackendFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.OutputTag;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the records of Kafka topics to another topic, each id once. Bytes, headers, timestamps
 * and, by default, the numbers of the partitions stay as they are.
 *
 * <p>The guarantee: that of {@link Deduplicate}, and every record of the output is visible exactly
 * once to readers of committed records, across failures, restarts from savepoints and rescaling;
 * with {@code --delivery at-least-once} at least once.
 *
 * <p>Records with the same id keep their order. So do those with the same key, if the key is the
 * id; others of one partition may change places, since different subtasks write them.
 */
public final class DedupJob {
    /** Name and uid of the source. */
    public static final String SOURCE = "records";

    /** Header of a duplicate that passes, with the value {@code true}. */
    public static final String DUPLICATE_HEADER = "sluice.duplicate";

    /** Begins name and uid of an operator that drops what is only remembered. */
    private static final String FROM = "from-";

    static final String SPLIT = "split";
    static final String UID = "dedup";

    /** Its state is of another kind, so a savepoint of one is not for the other. */
    private static final String FOREVER_UID = "dedup-forever";

    private static final String KEEP_LAST_UID = "dedup-keep-last";

    /** Timers in event time would never come in processing time, and what they hold not leave. */
    private static final String KEEP_LAST_BY_ARRIVAL_UID = KEEP_LAST_UID + "-processing-time";

    /** Full name of the operator that decides, as metrics know it. */
    static final String OPERATOR = "Deduplicate: " + UID;

    static final String OUTPUT_UID = "output";
    static final String DUPLICATES_UID = "duplicates";
    static final String LATE_UID = "late";
    static final String SUMMARY_UID = "summary";
    private static final String COUNT_UID = "count-suppressed";

    private static final OutputTag<KafkaMessage> DUPLICATES =
            new OutputTag<>("duplicates", MessageTypeInfoFactory.TYPE);
    private static final OutputTag<KafkaMessage> LATE =
            new OutputTag<>("late", MessageTypeInfoFactory.TYPE);

    /** By which the header enlarges a record: name, value, and their lengths. */
    private static final int TAG_BYTES = 3 * DUPLICATE_HEADER.length() + 20;

    private static final Logger LOG = LoggerFactory.getLogger(DedupJob.class);

    private final DedupOptions options;

    private DedupJob(DedupOptions options) {
        this.options = options;
    }

    /**
     * Runs the job on the cluster that Flink's command line names.
     *
     * @param arguments see {@link DedupOptions}
     */
    public static void main(String[] arguments) throws Exception {
        DedupOptions options = DedupOptions.parse(arguments);
        options.requireRegistry();
        JobTopics.prepare(options);
        FirstRecords.warnings(options).forEach(LOG::warn);
        CompactedTopics.warnings(options).forEach(LOG::warn);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        // A job that goes on does not write the old records again.
        if (env.getConfiguration().getOptional(StateRecoveryOptions.SAVEPOINT_PATH).isEmpty()) {
            StartingOffsets.warnings(options).forEach(LOG::warn);
            OutputRetention.warnings(options).forEach(LOG::warn);
        }
        define(env, options);
        env.executeAsync("sluice-dedup");
    }

    /**
     * Adds the job to {@code env}, and sets object reuse, checkpoints and, if given, the
     * parallelism there; with {@code --forever} the state backend too.
     *
     * @throws UncheckedIOException if {@code --from} is not {@code earliest}, and the broker does
     *     not say at which offsets the job begins
     */
    public static void define(StreamExecutionEnvironment env, DedupOptions options) {
        new DedupJob(options).define(env);
    }

    private void define(StreamExecutionEnvironment env) {
        SingleOutputStreamOperator<KafkaMessage> records = read(env);
        SingleOutputStreamOperator<KafkaMessage> first =
                options.isForever()
                        ? markForever(env, records)
                        : options.keepsLast()
                                ? keepLast(env, records)
                                : deduplicate(UID).apply(records);

        DataStream<KafkaMessage> output = first;
        if (options.actions.onUnreadable == ActionArguments.OnUnreadable.FORWARD) {
            output = first.union(records.getSideOutput(SplitMessages.UNJUDGED));
        }
        write(output, OUTPUT_UID, options.outputTopic());
        if (options.actions.onDuplicate == ActionArguments.OnDuplicate.TOPIC) {
            write(first.getSideOutput(DUPLICATES), DUPLICATES_UID, options.topics.duplicates());
        }
        if (options.hasLateTopic()) {
            write(first.getSideOutput(LATE), LATE_UID, options.topics.late());
        }
        if (options.topics.summaryTopic != null) {
            writeCounts(toWrite(first.getSideOutput(DUPLICATES), SUMMARY_UID));
        }
        write(
                records.getSideOutput(SplitMessages.REJECTED),
                KafkaEnds.DEAD_LETTERS,
                new DeadLetterSchema<>(
                        options.topics.deadLetters(), options.brokers(), DedupJob::rejected),
                new MessageProvenance());
    }

    /** Only what is counted goes over the network, not the records. */
    private void writeCounts(DataStream<KafkaMessage> duplicates) {
        DataStream<Suppressed> counts =
                duplicates
                        .map(Suppressed::of, Suppressed.TYPE)
                        .uid("suppressed")
                        .name("suppressed")
                        .keyBy(Suppressed::id, Types.STRING)
                        .process(new CountSuppressed(windows()), Suppressed.TYPE)
                        .uid(COUNT_UID)
                        .name(COUNT_UID);
        write(
                counts,
                SUMMARY_UID,
                new SummarySchema(options.topics.summaryTopic, new IdJson(options.idFields())),
                null);
    }

    private SingleOutputStreamOperator<KafkaMessage> read(StreamExecutionEnvironment env) {
        boolean inEventTime = !options.isProcessingTime();
        List<String> outputs = new ArrayList<>(options.topicsLikeTheInput());
        return KafkaEnds.read(
                        env,
                        options,
                        KafkaEnds.consumer(options.brokers(), options.group()),
                        options.bounded,
                        new MessageSource(options.layout()),
                        lags ->
                                inEventTime
                                        ? KafkaEnds.eventTime(
                                                options, lags, (message, kafka) -> message.time())
                                        : WatermarkStrategy.noWatermarks(),
                        options.from().isEarliest() ? null : fillFirst(),
                        SOURCE,
                        MessageTypeInfoFactory.TYPE)
                .process(
                        new SplitMessages(
                                options.actions,
                                options.brokers(),
                                outputs,
                                options.actions.onDuplicate == ActionArguments.OnDuplicate.TAG
                                        ? TAG_BYTES
                                        : 0),
                        MessageTypeInfoFactory.TYPE)
                .uid(SPLIT)
                .name(SPLIT);
    }

    private FillFirst<KafkaMessage> fillFirst() {
        try {
            return new FillFirst<>(StartingOffsets.of(options), KafkaMessage::beforeStart);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Without what is only remembered. */
    private DataStream<KafkaMessage> toWrite(DataStream<KafkaMessage> messages, String uid) {
        if (options.from().isEarliest()) {
            return messages;
        }
        return messages.filter(message -> !message.isBeforeStart())
                .uid(FROM + uid)
                .name(FROM + uid);
    }

    private Deduplicate<KafkaMessage, String> deduplicate(String uid) {
        Deduplicate<KafkaMessage, String> deduplicate =
                Deduplicate.by(KafkaMessage::id)
                        .idType(Types.STRING)
                        .uid(uid)
                        .configure(options.operator.options())
                        .timeDomain(
                                options.isProcessingTime()
                                        ? TimeDomain.PROCESSING
                                        : TimeDomain.EVENT)
                        .onDuplicate(onDuplicate())
                        .onLate(onLate());
        if (!options.isProcessingTime()) {
            options.times.set(deduplicate);
        }
        return deduplicate;
    }

    /** Whole records are held, so they are on disk unless Flink is configured otherwise. */
    private SingleOutputStreamOperator<KafkaMessage> keepLast(
            StreamExecutionEnvironment env, DataStream<KafkaMessage> records) {
        if (env.getConfiguration().getOptional(StateBackendOptions.STATE_BACKEND).isEmpty()) {
            Configuration backend = new Configuration();
            backend.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
            env.configure(backend, Thread.currentThread().getContextClassLoader());
        }
        return deduplicate(options.isProcessingTime() ? KEEP_LAST_BY_ARRIVAL_UID : KEEP_LAST_UID)
                .apply(records)
                .name(OPERATOR);
    }

    private WindowTimers windows() {
        return new WindowTimers(
                options.window(), options.times.maxAhead, options.isProcessingTime());
    }

    /** Ids are marked in Flink's state, which the cascade backend keeps in filters. */
    private SingleOutputStreamOperator<KafkaMessage> markForever(
            StreamExecutionEnvironment env, DataStream<KafkaMessage> records) {
        Configuration backend = new Configuration();
        backend.set(StateBackendOptions.STATE_BACKEND, CascadeStateBackendFactory.class.getName());
        // There is no other keyed state, so RocksDB would only take memory.
        backend.set(CascadeBackendOptions.DELEGATE, "hashmap");
        backend.set(CascadeBackendOptions.USE_MANAGED_MEMORY, false);
        backend.set(
                CascadeBackendOptions.FIXED_MEMORY, options.operator.get(WindowedOptions.MEMORY));
        backend.set(
                CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY,
                options.operator.get(WindowedOptions.FALSE_POSITIVE_PROBABILITY));
        env.configure(backend, Thread.currentThread().getContextClassLoader());
        return deduplicate(FOREVER_UID).apply(records).name(OPERATOR);
    }

    private OnDuplicate<KafkaMessage> onDuplicate() {
        return switch (options.actions.onDuplicate) {
            case DROP ->
                    options.topics.summaryTopic == null
                            ? OnDuplicate.drop()
                            : OnDuplicate.sideOutput(DUPLICATES);
            case TAG -> OnDuplicate.tag(DedupJob::tagged);
            case TOPIC -> OnDuplicate.sideOutput(DUPLICATES);
        };
    }

    private OnLate<KafkaMessage> onLate() {
        return switch (options.actions.onLate) {
            case FORWARD -> OnLate.forward();
            case DROP -> OnLate.drop();
            case TOPIC -> OnLate.sideOutput(LATE);
        };
    }

    static KafkaMessage tagged(KafkaMessage message) {
        Header tag = new RecordHeader(DUPLICATE_HEADER, "true".getBytes(US_ASCII));
        return message.with(tag);
    }

    private static Rejected rejected(KafkaMessage message) {
        return new Rejected(
                message.problem().code(),
                message.topic(),
                message.partition(),
                message.offset(),
                message.timestamp(),
                message.key(),
                message.value(),
                message.headers());
    }

    private void write(DataStream<KafkaMessage> messages, String uid, String topic) {
        write(
                toWrite(messages, uid),
                uid,
                new MessageSchema(topic, options.keepsPartitions()),
                new MessageProvenance());
    }

    /** Writes values as often as the options say. */
    private <T> void write(
            DataStream<T> values,
            String uid,
            TopicSchema<T> schema,
            @Nullable Provenance<T> provenance) {
        if (options.writesInTransactions()) {
            KafkaEnds.writeOnce(
                    values, uid, schema, options, options.transactionalIdPrefix(), provenance);
        } else {
            KafkaEnds.writeAtLeastOnce(values, uid, schema, options.brokers());
        }
    }
}
