/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.message;

import io.sluice.job.DeadLetterSchema;
import io.sluice.job.KafkaEnds;
import io.sluice.job.Rejected;
import io.sluice.message.KafkaMessage;
import io.sluice.message.MessageTypeInfoFactory;
import java.util.ArrayList;
import java.util.List;
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
     */
    public SingleOutputStreamOperator<KafkaMessage> read(
            StreamExecutionEnvironment env, int spareBytes) {
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
                                                : KafkaEnds.eventTime(
                                                        options,
                                                        lags,
                                                        (message, kafka) -> message.time()),
                                options.source(),
                                MessageTypeInfoFactory.TYPE)
                        .process(
                                new SplitMessages(
                                        options.messages.unreadable,
                                        options.brokers(),
                                        outputs,
                                        spareBytes),
                                MessageTypeInfoFactory.TYPE)
                        .uid(SPLIT)
                        .name(SPLIT);
        KafkaEnds.writeOnce(
                records.getSideOutput(SplitMessages.REJECTED),
                KafkaEnds.DEAD_LETTERS,
                new DeadLetterSchema<>(
                        options.deadLetters(), options.brokers(), MessageEnds::rejected),
                options,
                options.transactionalIdPrefix(),
                new MessageProvenance());
        return records;
    }

    /** Writes records as they came, exactly once. */
    public void write(DataStream<KafkaMessage> messages, String uid, String topic) {
        KafkaEnds.writeOnce(
                messages,
                uid,
                new MessageSchema(topic, options.keepsPartitions()),
                options,
                options.transactionalIdPrefix(),
                new MessageProvenance());
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
