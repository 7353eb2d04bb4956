/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.message;

import io.sluice.job.DeadLetterSchema;
import io.sluice.job.KafkaEnds;
import io.sluice.job.Rejected;
import io.sluice.kafka.TopicSchema;
import io.sluice.kafka.commit.Provenance;
import io.sluice.kafka.fill.FillFirst;
import io.sluice.kafka.fill.MutedWatermarks;
import io.sluice.kafka.pace.PartitionLags;
import io.sluice.message.KafkaMessage;
import io.sluice.message.MessageTypeInfoFactory;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Source and sinks of jobs with {@link MessageJobOptions}: records of any kind come from topics,
 * those that cannot be read go to the dead letters, and what is written is committed with
 * checkpoints.
 */
public final class MessageEnds {
    /** Name and uid of the operator that sets aside what cannot be read. */
    public static final String SPLIT = "split";

    private final MessageJobOptions options;

    public MessageEnds(MessageJobOptions options) {
        this.options = options;
    }

    /**
     * Sets object reuse, checkpoints and, if given, the parallelism of {@code env}, and reads the
     * records of the input topics. Those that cannot be read are dead letters, or in {@link
     * SplitMessages#UNJUDGED}.
     *
     * @param spareBytes by which the job may enlarge a record that it writes
     * @param fill what is read first and only remembered; null if everything is written
     */
    public SingleOutputStreamOperator<KafkaMessage> read(
            StreamExecutionEnvironment env,
            int spareBytes,
            @Nullable FillFirst<KafkaMessage> fill) {
        List<String> outputs = new ArrayList<>(options.topicsLikeTheInput());
        SingleOutputStreamOperator<KafkaMessage> records =
                KafkaEnds.read(
                                env,
                                options,
                                KafkaEnds.consumer(options.brokers(), options.group()),
                                options.bounded,
                                new MessageSource(options.layout()),
                                lags ->
                                        options.isProcessingTime()
                                                ? WatermarkStrategy.noWatermarks()
                                                : eventTime(lags, fill),
                                fill,
                                options.source(),
                                MessageTypeInfoFactory.TYPE)
                        .process(
                                new SplitMessages(
                                        options.messages.unreadable,
                                        options.outputBrokers(),
                                        outputs,
                                        spareBytes),
                                MessageTypeInfoFactory.TYPE)
                        .uid(SPLIT)
                        .name(SPLIT);
        write(
                records.getSideOutput(SplitMessages.REJECTED),
                KafkaEnds.DEAD_LETTERS,
                new DeadLetterSchema<>(
                        options.deadLetters(), options.outputBrokers(), MessageEnds::rejected),
                new MessageProvenance());
        return records;
    }

    private WatermarkStrategy<KafkaMessage> eventTime(
            PartitionLags lags, @Nullable FillFirst<KafkaMessage> fill) {
        WatermarkStrategy<KafkaMessage> times =
                KafkaEnds.eventTime(options, lags, (message, kafka) -> message.time());
        String only = fill == null ? null : fill.only();
        return only == null
                ? times
                : new MutedWatermarks<>(times, message -> message.topic().equals(only));
    }

    /** Writes records as they came. */
    public void write(DataStream<KafkaMessage> messages, String uid, String topic) {
        write(
                messages,
                uid,
                new MessageSchema(topic, options.keepsPartitions()),
                new MessageProvenance());
    }

    /**
     * Writes values as often as the options say: once, or at least once.
     *
     * @param provenance null if a value cannot be made again from its records
     */
    public <T> void write(
            DataStream<T> values,
            String uid,
            TopicSchema<T> schema,
            @Nullable Provenance<T> provenance) {
        if (options.writesInTransactions()) {
            KafkaEnds.writeOnce(
                    values, uid, schema, options, options.transactionalIdPrefix(), provenance);
        } else {
            KafkaEnds.writeAtLeastOnce(values, uid, schema, options.outputBrokers());
        }
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
}
