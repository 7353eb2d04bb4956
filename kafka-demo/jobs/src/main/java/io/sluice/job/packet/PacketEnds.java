/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.packet;

import io.sluice.job.DeadLetterSchema;
import io.sluice.job.KafkaEnds;
import io.sluice.job.KafkaJobOptions;
import io.sluice.kafka.TopicSchema;
import io.sluice.kafka.commit.Provenance;
import java.util.Properties;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * Source and sinks of jobs with {@link KafkaJobOptions}: packet records come from a topic,
 * unreadable ones go to the dead letters, and results are committed with checkpoints.
 */
public final class PacketEnds {
    private final KafkaJobOptions options;

    public PacketEnds(KafkaJobOptions options) {
        this.options = options;
    }

    /**
     * Sets object reuse, checkpoints and, if given, the parallelism of {@code env}, and reads the
     * operations of the input topic; all other records go to {@code deadLetterTopic}.
     */
    public <T> SingleOutputStreamOperator<T> read(
            StreamExecutionEnvironment env, Reduction<T> reduction, String deadLetterTopic) {
        SingleOutputStreamOperator<T> operations = operations(env, reduction);
        write(
                operations.getSideOutput(SplitIncoming.REJECTED),
                KafkaEnds.DEAD_LETTERS,
                new DeadLetterSchema<>(
                        deadLetterTopic, options.outputBrokers(), Incoming::rejected),
                new RejectedProvenance());
        return operations;
    }

    /** Writes results of many records to the topic of {@code schema}, exactly once. */
    public <T> void write(DataStream<T> values, String uid, TopicSchema<T> schema) {
        write(values, uid, schema, null);
    }

    private <T> void write(
            DataStream<T> values,
            String uid,
            TopicSchema<T> schema,
            @Nullable Provenance<T> provenance) {
        KafkaEnds.writeOnce(
                values, uid, schema, options, options.transactionalIdPrefix(), provenance);
    }

    /**
     * Adds the source: the operations of the input topic, with all other records in a side output
     * of {@link SplitIncoming}. Event time is capture time, whatever Kafka's own timestamps say.
     */
    private <T> SingleOutputStreamOperator<T> operations(
            StreamExecutionEnvironment env, Reduction<T> reduction) {
        Properties settings = KafkaEnds.consumer(options.brokers(), options.group());
        // A packet record's own checksum covers what matters; the batch checksum would only cover
        // all bytes again.
        settings.setProperty(ConsumerConfig.CHECK_CRCS_CONFIG, "false");
        return KafkaEnds.read(
                        env,
                        options,
                        settings,
                        options.bounded,
                        new IncomingSchema(),
                        lags ->
                                KafkaEnds.eventTime(
                                        options,
                                        lags,
                                        (incoming, kafkaTime) -> incoming.timestampMillis()),
                        null,
                        KafkaEnds.PACKETS,
                        Incoming.TYPE)
                .process(new SplitIncoming<>(reduction), reduction.type())
                .uid("split")
                .name("split");
    }
}
