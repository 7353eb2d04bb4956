/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Source and sinks of jobs with {@link KafkaJobOptions}: packet records come from a topic,
 * unreadable ones go to the dead letters, and results are committed with checkpoints.
 */
final class PacketEnds {
    /** Name and uid of the source, as metrics and savepoints know it. */
    static final String SOURCE = "packets";

    /** Uid of the sink that writes them. */
    static final String DEAD_LETTERS = "dead-letters";

    private final KafkaJobOptions options;

    PacketEnds(KafkaJobOptions options) {
        this.options = options;
    }

    /**
     * Sets object reuse, checkpoints and, if given, the parallelism of {@code env}, and reads the
     * operations of the input topic; all other records go to {@code deadLetterTopic}.
     */
    <T> SingleOutputStreamOperator<T> read(
            StreamExecutionEnvironment env, Reduction<T> reduction, String deadLetterTopic) {
        SingleOutputStreamOperator<T> operations =
                KafkaEnds.operations(
                        env, options, options.group(), options.bounded, reduction, SOURCE);
        write(
                operations.getSideOutput(SplitIncoming.REJECTED),
                DEAD_LETTERS,
                new DeadLetterSchema<>(deadLetterTopic, options.brokers(), Incoming::rejected));
        return operations;
    }

    /** Writes {@code values} to the topic of {@code schema}, exactly once. */
    <T> void write(DataStream<T> values, String uid, TopicSchema<T> schema) {
        KafkaEnds.writeOnce(
                values,
                uid,
                schema,
                options.brokers(),
                options.transactionalIdPrefix(),
                options.transactionTimeout);
    }
}
