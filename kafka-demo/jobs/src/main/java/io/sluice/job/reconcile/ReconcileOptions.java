/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.reconcile;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.reconcile.DifferenceMethod;
import io.sluice.flink.reconcile.Reconcile;
import io.sluice.flink.reconcile.ReconciliationOptions;
import io.sluice.job.JobSummary;
import io.sluice.job.JobSummary.Count;
import io.sluice.job.JobSummary.Trouble;
import io.sluice.job.OperatorArgument;
import io.sluice.job.OperatorArguments;
import io.sluice.job.format.FormatJobOptions;
import io.sluice.job.message.InputArguments;
import io.sluice.job.message.MessageArguments;
import io.sluice.job.packet.Operation;
import io.sluice.kafka.BrokerOptions;
import io.sluice.kafka.Brokers;
import io.sluice.message.Field;
import io.sluice.message.MessageLayout;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.configuration.MemorySize;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The options of {@link ReconcileJob}, the same for {@code flink run}, for {@code sluice job
 * reconcile} and for programs. After {@link #check()} they do not change.
 */
@Command(sortOptions = false)
public final class ReconcileOptions extends FormatJobOptions {
    public static final String REPLICA = ReplicaArguments.REPLICA;
    public static final String PEER = ReplicaArguments.PEER;
    public static final String PEER_BOOTSTRAP = ReplicaArguments.PEER_BOOTSTRAP;
    public static final String PREFIX = "--prefix";
    public static final String GROUP = "--group";
    public static final String MULTIPLICITY = "--multiplicity";
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

    /** Full name of the operator, as metrics know it. */
    private static final String OPERATOR_NAME = "Reconcile: " + ReconcileJob.RECONCILE;

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

    @Option(
            names = MULTIPLICITY,
            paramLabel = "FIELD",
            description =
                    "Where the whole number is that tells how many copies of its id a record stands"
                            + " for, in the words of --id; from 0, which says nothing, to 2^53."
                            + " Copies of equal ids add up in a window, and both sides end with the"
                            + " larger sum. Default: each stands for 1.")
    private @Nullable String multiplicity;

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

    @Mixin OperatorArguments operator = new OperatorArguments(OPERATOR);

    /**
     * The options in {@code arguments}, validated.
     *
     * @throws IllegalArgumentException if one is unknown, missing or out of range
     */
    public static ReconcileOptions parse(List<String> arguments) {
        return parse(new ReconcileOptions(), arguments.toArray(String[]::new));
    }

    @Override
    public void checkOwn() {
        int groups = mostSubtasks();
        if (parallelism != null && parallelism > groups) {
            throw new IllegalArgumentException(
                    PARALLELISM
                            + " must be at most --groups, "
                            + groups
                            + ", but is "
                            + parallelism);
        }
        if (isPackets()) {
            refuseFields(multiplicity == null ? List.of() : List.of(MULTIPLICITY));
        } else {
            checkFields(
                    "corrections",
                    MessageArguments.ID + " names the element",
                    multiplicity == null ? List.of() : List.of(multiplicityField()),
                    null);
            if (isProcessingTime()) {
                throw new IllegalArgumentException(
                        MessageArguments.TIME
                                + " processing has no meaning here, since the replicas compare"
                                + " windows of event time: say event, or name the field of the"
                                + " time");
            }
        }
        operator.check(
                options ->
                        Reconcile.by(Operation::counter)
                                .replica(replica())
                                .peer(replicas.peer())
                                .configure(options)
                                .check());
    }

    /** The same job on the other side, reading {@code peerInputTopic}. */
    public ReconcileOptions mirrored(String peerInputTopic) {
        ReconcileOptions other = new ReconcileOptions();
        copyTo(other);
        other.brokerOptions = BrokerOptions.of(replicas.peerBrokers());
        other.replicas = replicas.mirrored(outputBrokers());
        other.input = InputArguments.of(peerInputTopic);
        other.prefix = prefix;
        other.group = group;
        other.multiplicity = multiplicity;
        other.operator = operator;
        other.check();
        return other;
    }

    @Override
    protected boolean namesFields() {
        return messages.hasId() || multiplicity != null;
    }

    @Override
    protected String firstField() {
        return MessageArguments.ID + " where the id of other records is";
    }

    @Override
    protected String allFields() {
        return MessageArguments.ID
                + " and "
                + MULTIPLICITY
                + " where other records have what is compared";
    }

    private Field multiplicityField() {
        return MessageArguments.field(MULTIPLICITY, requireNonNull(multiplicity));
    }

    @Override
    public MessageLayout layout() {
        return super.layout().repeating(multiplicity == null ? null : multiplicityField());
    }

    @Override
    protected String needs() {
        return super.needs()
                + (multiplicity == null ? "" : " and the multiplicity " + multiplicity);
    }

    @Override
    protected Map<String, String> optionsOfTheState() {
        Map<String, String> options = super.optionsOfTheState();
        if (!isPackets()) {
            options.put(MULTIPLICITY, multiplicity == null ? "1" : multiplicityField().toString());
        }
        return options;
    }

    /**
     * {@inheritDoc}
     *
     * <p>Creates the topics of the peer, too, so that either replica may start first.
     */
    @Override
    public List<String> prepare(boolean continues) throws IOException {
        List<String> warnings = super.prepare(continues);
        ends().prepare();
        return warnings;
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

    @Override
    public String group() {
        return group + "-" + replica();
    }

    @Override
    public String outputTopic() {
        return topic(ReconcileJob.CORRECTIONS);
    }

    @Override
    public String deadLetters() {
        return topic(ReconcileJob.DEAD_LETTERS);
    }

    /** Elements are in the state backend, and not in filters or tables. */
    @Override
    public MemorySize heapOfASubtask() {
        return MemorySize.ZERO;
    }

    @Override
    public JobSummary outcome() {
        Map<String, String> written = new LinkedHashMap<>();
        for (String uid : uids()) {
            written.put(uid, topic(uid));
        }
        List<Trouble> troubles = new ArrayList<>(troublesOfReading());
        troubles.addAll(ReplicaArguments.troubles(OPERATOR_NAME, WINDOW, TTL, GROUPS));
        troubles.add(
                new Trouble(
                        OPERATOR_NAME,
                        "noCopies",
                        "records stand for 0 copies of their id, and so say nothing"));
        troubles.add(
                new Trouble(
                        OPERATOR_NAME,
                        "saturated",
                        "records would have made the copies of a window and key group more than"
                                + " 2^63 - 1; they are on topic '"
                                + topic(ReconcileJob.LATE)
                                + "'"));
        troubles.addAll(troublesOfDeadLetters(deadLetters()));
        return new JobSummary(
                List.of(
                        new Count(
                                OPERATOR_NAME,
                                "agreed",
                                List.of(),
                                "exchanges ended with agreement"),
                        new Count(OPERATOR_NAME, "repaired", List.of(), "elements repaired here")),
                null,
                written,
                troubles);
    }

    @Override
    public int mostSubtasks() {
        return operator.get(ReconciliationOptions.GROUPS);
    }

    private List<String> uids() {
        List<String> uids =
                new ArrayList<>(
                        List.of(
                                ReconcileJob.CORRECTIONS,
                                ReconcileJob.REPORTS,
                                ReconcileJob.LATE,
                                ReconcileJob.DEAD_LETTERS));
        if (writesElements()) {
            uids.add(ReconcileJob.ELEMENTS);
        }
        return uids;
    }

    /** Records that come after their window was closed. */
    @Override
    public Set<String> topicsLikeTheInput() {
        return isPackets() ? Set.of() : Set.of(topic(ReconcileJob.LATE));
    }

    @Override
    public Set<String> compactedTopics() {
        return Set.of();
    }

    @Override
    public Map<String, String> outputTopics() {
        if (!replicas.areGiven()) {
            throw new IllegalArgumentException(
                    REPLICA + " and " + PEER + " are required: give the names of both replicas");
        }
        replicas.check(outputBrokers());
        List<String> names = new ArrayList<>(replicas.messageTopics(prefix));
        uids().forEach(uid -> names.add(topic(uid)));
        return ReplicaArguments.byOption(PREFIX, prefix, names);
    }
}
