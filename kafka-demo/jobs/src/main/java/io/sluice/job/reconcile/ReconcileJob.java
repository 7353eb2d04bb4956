/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.reconcile;

import io.sluice.flink.reconcile.Reconcile;
import io.sluice.flink.reconcile.Reconciled;
import io.sluice.job.JobTopics;
import io.sluice.job.KafkaEnds;
import io.sluice.kafka.TopicSchema;
import java.util.List;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of two replicas that saw copies of one stream, each with its own losses and repetitions, and
 * that repair their differences after every window of event time: {@link Reconcile} over Kafka, for
 * records of any kind, or packets.
 *
 * <p>The guarantee: that of {@link Reconcile}, and every result is visible exactly once to readers
 * of committed records, across failures, restarts from savepoints and rescaling. Records that
 * cannot be read never fail the job, unless it is told to; they go to the topic of dead letters.
 *
 * <p>Every operator has a uid, so that a savepoint survives changes of the job around it.
 */
public final class ReconcileJob {
    /** Uid of the operator that reconciles. */
    public static final String RECONCILE = "reconcile";

    /** Suffixes of the topics of results, and the uids of what they hold. */
    public static final String CORRECTIONS = "corrections";

    public static final String REPORTS = ReplicaArguments.REPORTS;
    public static final String ELEMENTS = "elements";
    public static final String LATE = "late";
    public static final String DEAD_LETTERS = KafkaEnds.DEAD_LETTERS;

    private static final Logger LOG = LoggerFactory.getLogger(ReconcileJob.class);

    private ReconcileJob() {}

    /**
     * Runs the job on the cluster that Flink's command line names.
     *
     * @param arguments see {@link ReconcileOptions}
     */
    public static void main(String[] arguments) throws Exception {
        ReconcileOptions options = ReconcileOptions.parse(List.of(arguments));
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        options.prepare(JobTopics.continues(env)).forEach(LOG::warn);
        define(env, options);
        env.executeAsync("sluice-reconcile-" + options.replica());
    }

    /**
     * Adds the job to {@code env}, and sets object reuse, checkpoints and, if given, the
     * parallelism there.
     */
    public static void define(StreamExecutionEnvironment env, ReconcileOptions options) {
        if (options.isPackets()) {
            define(env, options, ReconciledInput.ofPackets(options));
        } else {
            define(env, options, ReconciledInput.ofMessages(options));
        }
    }

    private static <T, K> void define(
            StreamExecutionEnvironment env,
            ReconcileOptions options,
            ReconciledInput<T, K> compared) {
        SingleOutputStreamOperator<T> records = compared.input().read(env);
        ReplicaEnds ends = options.ends();
        Reconciled<T, K> reconciled =
                compared.reconcile()
                        .uid(RECONCILE)
                        .replica(options.replica())
                        .peer(options.replicas.peer())
                        .maxMessage(ReplicaEnds.MAX_MESSAGE)
                        .maxFuture(options.times.maxAhead)
                        .configure(options.operator.options())
                        .apply(records, ends.fromPeer(env));
        ends.write(reconciled);
        write(
                reconciled.repairs(),
                CORRECTIONS,
                new ReconcileSchemas.Corrections<>(options.topic(CORRECTIONS), compared.elements()),
                options);
        compared.input().setAside(reconciled.late(), LATE, options.topic(LATE));
        if (options.writesElements()) {
            write(
                    reconciled.elements(),
                    ELEMENTS,
                    new ReconcileSchemas.Elements<>(options.topic(ELEMENTS), compared.elements()),
                    options);
        }
    }

    private static <T> void write(
            DataStream<T> values, String uid, TopicSchema<T> schema, ReconcileOptions options) {
        KafkaEnds.writeOnce(values, uid, schema, options, options.transactionalIdPrefix(), null);
    }
}
