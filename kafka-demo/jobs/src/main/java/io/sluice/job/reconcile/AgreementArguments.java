/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.reconcile;

import io.sluice.flink.reconcile.DifferenceMethod;
import io.sluice.flink.reconcile.Reconcile;
import io.sluice.flink.reconcile.Reconciled;
import io.sluice.flink.reconcile.ReconciliationOptions;
import io.sluice.job.FilterArguments;
import io.sluice.job.JobArguments;
import io.sluice.job.JobSummary.Trouble;
import io.sluice.job.KafkaJobOptions;
import io.sluice.job.OperatorArgument;
import io.sluice.job.OperatorArguments;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.datastream.DataStream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * How a job that runs in two regions agrees with its replica about what it has seen. The names of
 * what {@code job reconcile} calls --window, --groups, --method, --ttl and --prefix begin with
 * "agree" here.
 */
public final class AgreementArguments {
    public static final String AGREE_WINDOW = "--agree-window";
    public static final String AGREE_GROUPS = "--agree-groups";
    public static final String AGREE_METHOD = "--agree-method";
    public static final String AGREE_TTL = "--agree-ttl";
    public static final String AGREE_PREFIX = "--agree-prefix";
    public static final String RESUME_WITHIN = "--resume-within";
    public static final String RETRY_AFTER = "--retry-after";

    private static final String UID = "agree";

    /** Full name of the operator, as metrics know it. */
    private static final String OPERATOR = "Reconcile: " + UID;

    private static final List<OperatorArgument<?>> ALL =
            List.of(
                    OperatorArgument.of(
                                    AGREE_WINDOW,
                                    "DURATION",
                                    ReconciliationOptions.WINDOW,
                                    Duration.class)
                            .withDefault(Duration.ofMinutes(1)),
                    OperatorArgument.of(
                                    AGREE_GROUPS, "N", ReconciliationOptions.GROUPS, Integer.class)
                            .withDefault(16),
                    OperatorArgument.of(
                            AGREE_METHOD,
                            "METHOD",
                            ReconciliationOptions.METHOD,
                            DifferenceMethod.class),
                    OperatorArgument.of(
                                    AGREE_TTL,
                                    "DURATION",
                                    ReconciliationOptions.TTL,
                                    Duration.class)
                            .withDefault(Duration.ofMinutes(5)),
                    OperatorArgument.of(
                            RESUME_WITHIN,
                            "DURATION",
                            ReconciliationOptions.RESUME_WITHIN,
                            Duration.class),
                    OperatorArgument.of(
                            RETRY_AFTER,
                            "DURATION",
                            ReconciliationOptions.RETRY_AFTER,
                            Duration.class));

    @Mixin private final ReplicaArguments replicas = new ReplicaArguments();

    @Mixin private final OperatorArguments operator = new OperatorArguments(ALL);

    @Option(
            names = AGREE_PREFIX,
            paramLabel = "PREFIX",
            description =
                    "With --replica, prefix of the names of the topics between the replicas, the"
                            + " same on both sides and another one for each job:"
                            + " PREFIX-REPLICA-digest, -filter, -repair, -symbols and -shortage go"
                            + " to the peer, and -reports says how each exchange ended. Default:"
                            + " OUTPUT_TOPIC-agree.")
    private @Nullable String prefix;

    /** Returns whether the job has a replica to agree with. */
    public boolean areGiven() {
        return replicas.areGiven();
    }

    /**
     * Checks the options.
     *
     * @param otherwise what the job does that leaves nothing to agree on; null if it does not
     * @param within how long the job remembers; null if there is no such time
     * @throws IllegalArgumentException naming option, value and remedy
     */
    public void check(
            KafkaJobOptions options, @Nullable String otherwise, @Nullable Duration within) {
        replicas.check(options.outputBrokers());
        if (!areGiven()) {
            requireNothing();
            return;
        }
        if (otherwise != null) {
            throw new IllegalArgumentException(ReplicaArguments.REPLICA + " and " + otherwise);
        }
        operator.check(
                given ->
                        Reconcile.by((String id) -> id)
                                .replica(replicas.replica())
                                .peer(replicas.peer())
                                .configure(given)
                                .check());
        int groups = mostSubtasks();
        if (options.parallelism().orElse(1) > groups) {
            throw new IllegalArgumentException(
                    JobArguments.PARALLELISM
                            + " must be at most "
                            + AGREE_GROUPS
                            + ", "
                            + groups
                            + ", but is "
                            + options.parallelism().getAsInt()
                            + ": raise "
                            + AGREE_GROUPS
                            + " on both sides");
        }
        Duration agreement =
                operator.get(ReconciliationOptions.WINDOW)
                        .plus(operator.get(ReconciliationOptions.TTL))
                        .plus(operator.get(ReconciliationOptions.RESUME_WITHIN));
        if (within != null && within.compareTo(agreement) <= 0) {
            throw new IllegalArgumentException(
                    FilterArguments.WITHIN
                            + " must be longer than "
                            + AGREE_WINDOW
                            + ", "
                            + AGREE_TTL
                            + " and "
                            + RESUME_WITHIN
                            + " together ("
                            + JobArguments.text(agreement)
                            + "), but is "
                            + JobArguments.text(within)
                            + ": what is found after that is forgotten already, so raise it, or"
                            + " lower those");
        }
    }

    private void requireNothing() {
        for (OperatorArgument<?> argument : ALL) {
            if (operator.isGiven(argument.option())) {
                throw new IllegalArgumentException(
                        argument.name() + " has no effect without " + ReplicaArguments.REPLICA);
            }
        }
        if (prefix != null) {
            throw new IllegalArgumentException(
                    AGREE_PREFIX + " has no effect without " + ReplicaArguments.REPLICA);
        }
    }

    private String prefix(KafkaJobOptions options) {
        return prefix == null ? options.outputTopic() + "-agree" : prefix;
    }

    /** Returns the topics that this replica writes for the agreement, by what they are. */
    public Map<String, String> topics(KafkaJobOptions options) {
        if (!areGiven()) {
            return Map.of();
        }
        replicas.check(options.outputBrokers());
        String start = prefix(options);
        return ReplicaArguments.byOption(AGREE_PREFIX, start, replicas.writtenTopics(start));
    }

    /** Returns how many subtasks the job may have at most. */
    public int mostSubtasks() {
        return areGiven() ? operator.get(ReconciliationOptions.GROUPS) : Integer.MAX_VALUE;
    }

    /** Returns the topic of reports. */
    public String reportsTopic(KafkaJobOptions options) {
        return replicas.topic(prefix(options), ReplicaArguments.REPORTS);
    }

    /** Returns the name of this replica. */
    public String replica() {
        return replicas.replica();
    }

    /** Creates the topics of the peer, if there is one. */
    public void prepare(KafkaJobOptions options) throws IOException {
        if (areGiven()) {
            ends(options).prepare();
        }
    }

    private ReplicaEnds ends(KafkaJobOptions options) {
        return new ReplicaEnds(
                options,
                replicas,
                prefix(options),
                options.group(),
                options.transactionalIdPrefix());
    }

    /**
     * Adds the exchange with the peer.
     *
     * @return what only the peer got
     */
    public <T, K> DataStream<K> missed(
            Reconcile<T, K> reconcile, DataStream<T> records, KafkaJobOptions options) {
        ReplicaEnds ends = ends(options);
        Reconciled<T, K> agreed =
                reconcile
                        .uid(UID)
                        .replica(replicas.replica())
                        .peer(replicas.peer())
                        .maxMessage(ReplicaEnds.MAX_MESSAGE)
                        .maxFuture(options.times.maxAhead)
                        .configure(operator.options())
                        .apply(records, ends.fromPeer(records.getExecutionEnvironment()));
        ends.write(agreed);
        return agreed.missed();
    }

    /** Returns what may keep the replicas from agreeing. */
    public List<Trouble> troubles() {
        return areGiven()
                ? ReplicaArguments.troubles(OPERATOR, AGREE_WINDOW, AGREE_TTL, AGREE_GROUPS)
                : List.of();
    }
}
