/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.reconcile;

import io.sluice.flink.reconcile.Reconcile;
import io.sluice.flink.reconcile.Reconciled;
import io.sluice.job.DeadLetterSchema;
import io.sluice.job.JobTopics;
import io.sluice.job.KafkaEnds;
import io.sluice.job.packet.Incoming;
import io.sluice.job.packet.Operation;
import io.sluice.job.packet.OperationSchema;
import io.sluice.job.packet.PacketEnds;
import io.sluice.job.packet.Reduction;
import io.sluice.job.packet.SplitIncoming;
import io.sluice.kafka.TopicSchema;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * One of two replicas that saw copies of one stream of packets, each with its own losses and
 * repetitions, and that repair their differences after every window of event time: {@link
 * Reconcile} over Kafka.
 */
public final class ReconcileJob {
    /** Name and uid of the source, as metrics and savepoints know it. */
    public static final String SOURCE = "packets";

    /** Suffixes of the topics of results. */
    public static final String CORRECTIONS = "corrections";

    public static final String REPORTS = ReplicaArguments.REPORTS;
    public static final String ELEMENTS = "elements";
    public static final String LATE = "late";
    public static final String DEAD_LETTERS = "dead-letters";

    private final ReconcileOptions options;

    private ReconcileJob(ReconcileOptions options) {
        this.options = options;
    }

    /**
     * Runs the job on the cluster that Flink's command line names.
     *
     * @param arguments see {@link ReconcileOptions}
     */
    public static void main(String[] arguments) throws Exception {
        ReconcileOptions options = ReconcileOptions.parse(List.of(arguments));
        prepare(options);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        define(env, options);
        env.executeAsync("sluice-reconcile-" + options.replica());
    }

    /**
     * Makes sure that both brokers answer and the input topic exists, and creates all missing
     * topics, including the peer's, so that either replica may start first.
     */
    public static void prepare(ReconcileOptions options) throws IOException {
        JobTopics.prepare(
                options.brokers(), options.inputTopics(), options.outputTopics(), Set.of());
        options.ends().prepare();
    }

    /**
     * Adds the job to {@code env}, and sets object reuse, checkpoints and, if given, the
     * parallelism there.
     */
    public static void define(StreamExecutionEnvironment env, ReconcileOptions options) {
        new ReconcileJob(options).define(env);
    }

    private void define(StreamExecutionEnvironment env) {
        SingleOutputStreamOperator<Operation> operations =
                PacketEnds.operations(
                        env,
                        options,
                        options.group + "-" + options.replica(),
                        options.bounded,
                        Reduction.toCounter(options.countBy),
                        SOURCE);
        ReplicaEnds ends = options.ends();
        Reconciled<Operation, Tuple2<Long, Long>> reconciled =
                reconcile(operations, ends.fromPeer(env));
        ends.write(reconciled);
        write(
                reconciled.repairs(),
                new ReconcileSchemas.Corrections(options.topic(CORRECTIONS), options.countBy));
        write(reconciled.late(), new OperationSchema(options.topic(LATE), options.countBy));
        write(
                operations.getSideOutput(SplitIncoming.REJECTED),
                new DeadLetterSchema<>(
                        options.topic(DEAD_LETTERS), options.brokers(), Incoming::rejected));
        if (options.writesElements()) {
            write(
                    reconciled.elements(),
                    new ReconcileSchemas.Elements(options.topic(ELEMENTS), options.countBy));
        }
    }

    private Reconciled<Operation, Tuple2<Long, Long>> reconcile(
            DataStream<Operation> operations, DataStream<byte[]> fromPeer) {
        Reconcile<Operation, Tuple2<Long, Long>> reconcile =
                Reconcile.by(
                                (Operation operation) ->
                                        Tuple2.of(operation.counter(), operation.operationId()))
                        .idType(Types.TUPLE(Types.LONG, Types.LONG))
                        .uid("reconcile")
                        .replica(options.replica())
                        .peer(options.replicas.peer())
                        .maxMessage(ReplicaEnds.MAX_MESSAGE)
                        .maxFuture(options.times.maxAhead)
                        .configure(options.operator.options());
        return reconcile.apply(operations, fromPeer);
    }

    private <T> void write(DataStream<T> values, TopicSchema<T> schema) {
        KafkaEnds.writeOnce(
                values,
                schema.topic.substring(options.topic("").length()),
                schema,
                options,
                options.transactionalIdPrefix(),
                null);
    }
}
