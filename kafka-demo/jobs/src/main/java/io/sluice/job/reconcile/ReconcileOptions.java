/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.reconcile;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.reconcile.DifferenceMethod;
import io.sluice.flink.reconcile.Reconcile;
import io.sluice.flink.reconcile.ReconciliationOptions;
import io.sluice.job.Converters;
import io.sluice.job.JobArguments;
import io.sluice.job.KafkaJobOptions;
import io.sluice.job.OperatorArgument;
import io.sluice.job.OperatorArguments;
import io.sluice.job.packet.Operation;
import io.sluice.job.packet.PacketTopic;
import io.sluice.kafka.BrokerOptions;
import io.sluice.kafka.Brokers;
import io.sluice.record.CounterKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The options of {@link ReconcileJob}, the same for {@code flink run}, for {@code sluice job
 * reconcile} and for programs. After {@link #check()} they do not change.
 */
@Command(sortOptions = false)
public final class ReconcileOptions extends JobArguments {
    public static final String REPLICA = ReplicaArguments.REPLICA;
    public static final String PEER = ReplicaArguments.PEER;
    public static final String PEER_BOOTSTRAP = ReplicaArguments.PEER_BOOTSTRAP;
    public static final String PREFIX = "--prefix";
    public static final String GROUP = "--group";
    public static final String BOUNDED = "--bounded";
    public static final String COUNT_BY = "--count-by";
    public static final String WINDOW = "--window";
    public static final String METHOD = "--method";
    public static final String FPP = "--fpp";
    public static final String COUNTER_BITS = "--counter-bits";
    public static final String GROUPS = "--groups";
    public static final String SEED = "--seed";
    public static final String TTL = "--ttl";
    public static final String RESUME_WITHIN = AgreementArguments.RESUME_WITHIN;
    public static final String RETRY_AFTER = AgreementArguments.RETRY_AFTER;
    public static final String MAX_WAITING_ELEMENTS = "--max-waiting-elements";
    public static final String RESET_CLOCK = "--reset-clock";
    public static final String WRITE_ELEMENTS = "--write-elements";

    private static final List<OperatorArgument<?>> OPERATOR =
            List.of(
                    OperatorArgument.of(
                                    WINDOW,
                                    "DURATION",
                                    ReconciliationOptions.WINDOW,
                                    Duration.class)
                            .withDefault(Duration.ofMinutes(1)),
                    OperatorArgument.of(
                            METHOD, "METHOD", ReconciliationOptions.METHOD, DifferenceMethod.class),
                    OperatorArgument.of(
                            FPP,
                            "P",
                            ReconciliationOptions.FALSE_POSITIVE_PROBABILITY,
                            Double.class),
                    OperatorArgument.of(
                            COUNTER_BITS, "N", ReconciliationOptions.COUNTER_BITS, Integer.class),
                    OperatorArgument.of(GROUPS, "N", ReconciliationOptions.GROUPS, Integer.class)
                            .withDefault(16),
                    OperatorArgument.of(SEED, "N", ReconciliationOptions.SEED, Long.class),
                    OperatorArgument.of(TTL, "DURATION", ReconciliationOptions.TTL, Duration.class),
                    OperatorArgument.of(
                            RESUME_WITHIN,
                            "DURATION",
                            ReconciliationOptions.RESUME_WITHIN,
                            Duration.class),
                    OperatorArgument.of(
                            RETRY_AFTER,
                            "DURATION",
                            ReconciliationOptions.RETRY_AFTER,
                            Duration.class),
                    OperatorArgument.of(
                            MAX_WAITING_ELEMENTS,
                            "N",
                            ReconciliationOptions.MAX_WAITING_ELEMENTS,
                            Long.class),
                    OperatorArgument.of(RESET_CLOCK, ReconciliationOptions.RESET_CLOCK),
                    OperatorArgument.of(WRITE_ELEMENTS, ReconciliationOptions.WITH_ELEMENTS));

    @Mixin PacketTopic packets = new PacketTopic();

    @Mixin ReplicaArguments replicas = new ReplicaArguments();

    @Option(
            names = PREFIX,
            defaultValue = "reconcile",
            paramLabel = "PREFIX",
            description =
                    "Prefix of the names of all other topics: PREFIX-REPLICA-digest, -filter and"
                            + " -repair go to the peer, -corrections, -reports, -elements, -late"
                            + " and -dead-letters are results. Default: ${DEFAULT-VALUE}.")
    String prefix;

    @Option(
            names = GROUP,
            defaultValue = "sluice-reconcile",
            paramLabel = "ID",
            description = "Prefix of the names of the consumer groups. Default: ${DEFAULT-VALUE}.")
    String group;

    @Option(
            names = BOUNDED,
            description =
                    "Take the present end of the input topic for the end of event time: all windows"
                            + " close. The job keeps running, for the peer.")
    boolean bounded;

    @Option(
            names = COUNT_BY,
            defaultValue = "source",
            converter = Converters.OfCounterKind.class,
            paramLabel = "KIND",
            description =
                    "An element is an operation on a counter, one per 'source' address or per"
                            + " 'service'. Default: ${DEFAULT-VALUE}.")
    CounterKind countBy;

    @Mixin OperatorArguments operator = new OperatorArguments(OPERATOR);

    /**
     * The options in {@code arguments}, validated.
     *
     * @throws IllegalArgumentException if one is unknown, missing or out of range
     */
    public static ReconcileOptions parse(List<String> arguments) {
        return parse(new ReconcileOptions(), arguments.toArray(String[]::new));
    }

    /**
     * Checks what the operator does not check itself.
     *
     * @throws IllegalArgumentException naming option, bound, value and remedy
     */
    @Override
    public void check() {
        if (!replicas.areGiven()) {
            throw new IllegalArgumentException(
                    REPLICA + " and " + PEER + " are required: give the names of both replicas");
        }
        replicas.check(brokers());
        Set<String> seen = new LinkedHashSet<>(inputTopics());
        for (String topic : outputTopics()) {
            if (!seen.add(topic)) {
                throw new IllegalArgumentException(
                        INPUT_TOPIC
                                + " must differ from the other topics, but is '"
                                + topic
                                + "': choose another --prefix");
            }
        }
        int groups = operator.get(ReconciliationOptions.GROUPS);
        if (parallelism != null && parallelism > groups) {
            throw new IllegalArgumentException(
                    PARALLELISM
                            + " must be at most --groups, "
                            + groups
                            + ", but is "
                            + parallelism);
        }
        operator.check(
                options ->
                        Reconcile.by(Operation::counter)
                                .replica(replica())
                                .peer(replicas.peer())
                                .configure(options)
                                .check());
        super.check();
    }

    /** The same job on the other side, reading {@code peerInputTopic}. */
    public ReconcileOptions mirrored(String peerInputTopic) {
        ReconcileOptions other = new ReconcileOptions();
        copyTo(other);
        other.brokerOptions = BrokerOptions.of(replicas.peerBrokers());
        other.replicas = replicas.mirrored(brokers());
        other.packets.name = peerInputTopic;
        other.prefix = prefix;
        other.group = group;
        other.bounded = bounded;
        other.countBy = countBy;
        other.operator = operator;
        other.check();
        return other;
    }

    /** Packet records that this replica sees. */
    public String inputTopic() {
        return packets.name;
    }

    @Override
    public List<String> inputTopics() {
        return List.of(packets.name);
    }

    @Override
    public Duration window() {
        return requireNonNull(operator.get(ReconciliationOptions.WINDOW), WINDOW);
    }

    /** Whether the repaired multisets are written. */
    boolean writesElements() {
        return operator.get(ReconciliationOptions.WITH_ELEMENTS);
    }

    /** Name of this replica. */
    public String replica() {
        return replicas.replica();
    }

    /** The cluster of the other replica. */
    Brokers peerBrokers() {
        return replicas.peerBrokers();
    }

    /** The topic of this replica with this suffix. */
    public String topic(String ending) {
        return replicas.topic(prefix, ending);
    }

    /** The topics between the replicas. */
    ReplicaEnds ends() {
        return new ReplicaEnds(this, replicas, prefix, group, transactionalIdPrefix());
    }

    /** Prefix of the names of the Kafka transactions. */
    public String transactionalIdPrefix() {
        return KafkaJobOptions.transactionalIdPrefix(group, prefix + "-" + replica());
    }

    /** All topics that this replica writes. */
    List<String> outputTopics() {
        List<String> topics = new ArrayList<>(replicas.messageTopics(prefix));
        topics.add(topic(ReconcileJob.CORRECTIONS));
        topics.add(topic(ReconcileJob.REPORTS));
        topics.add(topic(ReconcileJob.LATE));
        topics.add(topic(ReconcileJob.DEAD_LETTERS));
        if (writesElements()) {
            topics.add(topic(ReconcileJob.ELEMENTS));
        }
        return topics;
    }
}
