/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import io.sluice.flink.OnConflict;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.dedup.Deduplicate;
import io.sluice.flink.dedup.WindowTimers;
import io.sluice.flink.reconcile.Reconcile;
import io.sluice.job.JobTopics;
import io.sluice.job.message.MessageEnds;
import io.sluice.job.message.MessageJobOptions;
import io.sluice.job.message.MessageProvenance;
import io.sluice.job.message.SplitMessages;
import io.sluice.job.message.UnreadableArguments.OnUnreadable;
import io.sluice.kafka.fill.FillFirst;
import io.sluice.message.IdJson;
import io.sluice.message.KafkaMessage;
import io.sluice.message.MessageTypeInfoFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.OutputTag;
import org.apache.kafka.common.TopicPartition;
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
    public static final String SOURCE = MessageJobOptions.SOURCE;

    /** Begins name and uid of an operator that drops what is only remembered. */
    private static final String FROM = "from-";

    static final String UID = "dedup";

    /** Their state is of another kind, so a savepoint of one is not for another. */
    private static final String FOREVER_UID = "dedup-forever";

    private static final String ON_DISK_UID = "dedup-on-disk";

    private static final String KEEP_LAST_UID = "dedup-keep-last";

    /** Timers in event time would never come in processing time, and what they hold not leave. */
    private static final String KEEP_LAST_BY_ARRIVAL_UID = KEEP_LAST_UID + "-processing-time";

    /** Full name of the operator that decides, as metrics know it. */
    static final String OPERATOR = "Deduplicate: " + UID;

    static final String OUTPUT_UID = "output";
    static final String DUPLICATES_UID = "duplicates";
    static final String CONFLICTS_UID = "conflicts";
    static final String LATE_UID = "late";
    static final String SUMMARY_UID = "summary";
    private static final String COUNT_UID = "count-suppressed";

    private static final OutputTag<KafkaMessage> DUPLICATES =
            new OutputTag<>("duplicates", MessageTypeInfoFactory.TYPE);
    private static final OutputTag<KafkaMessage> CONFLICTS =
            new OutputTag<>("conflicts", MessageTypeInfoFactory.TYPE);
    private static final OutputTag<KafkaMessage> LATE =
            new OutputTag<>("late", MessageTypeInfoFactory.TYPE);

    /** By which the header enlarges a record: name, value, and their lengths. */
    private static final int TAG_BYTES = 3 * MessageProvenance.DUPLICATE_HEADER.length() + 20;

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
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        options.prepare(JobTopics.continues(env)).forEach(LOG::warn);
        define(env, options);
        env.executeAsync("sluice-dedup");
    }

    /**
     * Adds the job to {@code env}, and sets object reuse, checkpoints and, if given, the
     * parallelism there; with {@code --keep last} the state backend too, unless it is configured.
     *
     * @throws UncheckedIOException if something is only remembered ({@code --from}, {@code
     *     --seen-from-output}), and the broker does not say up to which offsets
     */
    public static void define(StreamExecutionEnvironment env, DedupOptions options) {
        new DedupJob(options).define(env);
    }

    private void define(StreamExecutionEnvironment env) {
        MessageEnds ends = new MessageEnds(options);
        SingleOutputStreamOperator<KafkaMessage> records =
                ends.read(
                        env,
                        options.actions.onDuplicate == ActionArguments.OnDuplicate.TAG
                                ? TAG_BYTES
                                : 0,
                        options.fillsFirst() ? fillFirst() : null);
        SingleOutputStreamOperator<KafkaMessage> first =
                options.keepsLast()
                        ? keepLast(env, records)
                        : agreed(deduplicate(uid()), records).apply(records).name(OPERATOR);

        DataStream<KafkaMessage> output = first;
        if (options.messages.unreadable.onUnreadable() == OnUnreadable.FORWARD) {
            output = first.union(records.getSideOutput(SplitMessages.UNJUDGED));
        }
        write(ends, output, OUTPUT_UID, options.outputTopic());
        if (options.actions.onDuplicate == ActionArguments.OnDuplicate.TOPIC) {
            write(
                    ends,
                    first.getSideOutput(DUPLICATES),
                    DUPLICATES_UID,
                    options.topics.duplicates());
        }
        if (options.actions.hasConflictsTopic()) {
            write(ends, first.getSideOutput(CONFLICTS), CONFLICTS_UID, options.topics.conflicts());
        }
        if (options.hasLateTopic()) {
            write(ends, first.getSideOutput(LATE), LATE_UID, options.topics.late());
        }
        if (options.topics.summaryTopic != null) {
            writeCounts(ends, toWrite(first.getSideOutput(DUPLICATES), SUMMARY_UID));
        }
    }

    /** Only what is counted goes over the network, not the records. */
    private void writeCounts(MessageEnds ends, DataStream<KafkaMessage> duplicates) {
        DataStream<Suppressed> counts =
                duplicates
                        .map(Suppressed::of, Suppressed.TYPE)
                        .uid("suppressed")
                        .name("suppressed")
                        .keyBy(Suppressed::id, Types.STRING)
                        .process(new CountSuppressed(windows()), Suppressed.TYPE)
                        .uid(COUNT_UID)
                        .name(COUNT_UID);
        ends.write(
                counts,
                SUMMARY_UID,
                new SummarySchema(
                        options.topics.summaryTopic, new IdJson(options.messages.idFields())),
                null);
    }

    private void write(
            MessageEnds ends, DataStream<KafkaMessage> messages, String uid, String topic) {
        ends.write(toWrite(messages, uid), uid, topic);
    }

    private FillFirst<KafkaMessage> fillFirst() {
        try {
            Map<TopicPartition, Long> starts = new HashMap<>(StartingOffsets.of(options));
            String only = null;
            if (options.topics.seenFromOutput) {
                only = options.outputTopic();
                starts.putAll(SeenOutput.ends(options));
            }
            return new FillFirst<>(starts, only, KafkaMessage::beforeStart);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Without what is only remembered. */
    private DataStream<KafkaMessage> toWrite(DataStream<KafkaMessage> messages, String uid) {
        if (!options.fillsFirst()) {
            return messages;
        }
        return messages.filter(message -> !message.isBeforeStart())
                .uid(FROM + uid)
                .name(FROM + uid);
    }

    /** What only the other replica saw is seen here too. */
    private Deduplicate<KafkaMessage, String> agreed(
            Deduplicate<KafkaMessage, String> deduplicate, DataStream<KafkaMessage> records) {
        return options.agreement.areGiven()
                ? deduplicate.alsoSeen(
                        options.agreement.missed(Reconcile.state(deduplicate), records, options))
                : deduplicate;
    }

    private String uid() {
        if (options.isForever()) {
            return FOREVER_UID;
        }
        // A window of event time may be on disk by itself, and the option may be added then.
        return options.isOnDisk() && options.isProcessingTime() ? ON_DISK_UID : UID;
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
        if (options.actions.onConflict != null) {
            deduplicate.onConflict(onConflict());
        }
        if (options.isOnDisk()) {
            deduplicate.onDisk();
        }
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

    private OnDuplicate<KafkaMessage> onDuplicate() {
        return switch (options.actions.onDuplicate) {
            case DROP ->
                    options.topics.summaryTopic == null
                            ? OnDuplicate.drop()
                            : OnDuplicate.sideOutput(DUPLICATES);
            case TAG -> OnDuplicate.tag(MessageProvenance::tagged);
            case TOPIC -> OnDuplicate.sideOutput(DUPLICATES);
        };
    }

    private OnConflict<KafkaMessage> onConflict() {
        if (options.actions.comparesValues()) {
            return onConflict(
                    KafkaMessage::value, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);
        }
        return onConflict(
                new MessageContent(options.layoutOf(options.actions.contentFields())),
                Types.STRING);
    }

    private <C> OnConflict<KafkaMessage> onConflict(
            KeySelector<KafkaMessage, C> content, TypeInformation<C> type) {
        OnConflict<KafkaMessage> policy =
                options.actions.hasConflictsTopic()
                        ? OnConflict.sideOutput(content, CONFLICTS)
                        : OnConflict.count(content);
        return policy.contentType(type);
    }

    private OnLate<KafkaMessage> onLate() {
        return switch (options.actions.onLate) {
            case FORWARD -> OnLate.forward();
            case DROP -> OnLate.drop();
            case TOPIC -> OnLate.sideOutput(LATE);
        };
    }
}
