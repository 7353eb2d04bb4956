/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.WindowedOptions;
import io.sluice.flink.counter.CounterOptions;
import io.sluice.flink.counter.CounterValue;
import io.sluice.flink.counter.IdempotentCounters;
import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.job.Converters;
import io.sluice.job.FilterArguments;
import io.sluice.job.JobArguments;
import io.sluice.job.JobSummary;
import io.sluice.job.JobSummary.Count;
import io.sluice.job.JobSummary.Covered;
import io.sluice.job.JobSummary.Trouble;
import io.sluice.job.KafkaEnds;
import io.sluice.job.OperatorArgument;
import io.sluice.job.OperatorArguments;
import io.sluice.job.format.FormatJobOptions;
import io.sluice.job.message.MessageArguments;
import io.sluice.job.message.OutputFormatArguments;
import io.sluice.job.packet.Operation;
import io.sluice.job.reconcile.AgreementArguments;
import io.sluice.job.reconcile.ReplicaArguments;
import io.sluice.kafka.TopicSchema;
import io.sluice.message.Field;
import io.sluice.message.MessageLayout;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.util.function.SerializableFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The options of {@link CountersJob}, the same for {@code flink run}, for {@code sluice job
 * counters} and for programs, which pass them to {@link #parse}. After {@link #check()} they do not
 * change.
 */
@Command(sortOptions = false)
public final class CountersOptions extends FormatJobOptions {
    public static final String OUTPUT_TOPIC = "--output-topic";
    public static final String DUPLICATES_TOPIC = "--duplicates-topic";
    public static final String LATE_TOPIC = "--late-topic";
    public static final String ACKS_TOPIC = "--acks-topic";
    public static final String DEAD_LETTER_TOPIC = "--dead-letter-topic";
    public static final String COMPARE_TOPIC = "--compare-topic";
    public static final String GROUP = "--group";
    public static final String COUNTER = "--counter";
    public static final String DELTA = "--delta";
    public static final String WITHIN = FilterArguments.WITHIN;
    public static final String FPP = FilterArguments.FPP;
    public static final String EXPECTING = FilterArguments.EXPECTING;
    public static final String NO_FILTER = "--no-filter";
    public static final String EMIT_EVERY = "--emit-every";
    public static final String TWO_PHASES = "--two-phases";

    private static final List<OperatorArgument<?>> OPERATOR =
            Stream.concat(
                            Stream.of(
                                    OperatorArgument.of(
                                                    WITHIN,
                                                    "DURATION",
                                                    WindowedOptions.WITHIN,
                                                    Duration.class)
                                            .withNote("By the clock of --time.")
                                            .withDefault(Duration.ofMinutes(10)),
                                    OperatorArgument.of(
                                                    "--expire-after",
                                                    "DURATION",
                                                    CounterOptions.EXPIRE_AFTER,
                                                    Duration.class)
                                            .withNote(
                                                    "By the clock of --time; a counter that comes"
                                                            + " back begins at 0."),
                                    OperatorArgument.of(TWO_PHASES, CounterOptions.TWO_PHASES)),
                            FilterArguments.ALL.stream())
                    .toList();

    @Option(
            names = COUNTER,
            split = ",",
            paramLabel = "FIELD,...",
            description =
                    "Where the name of the counter is, in the words of --id. Several fields make"
                            + " one name, which is an array in JSON.")
    private @Nullable List<String> counter;

    @Option(
            names = DELTA,
            paramLabel = "FIELD",
            description =
                    "Where the whole number is that a record adds, in the words of --id; at most"
                            + " 2^53, and it may be negative. Default: each adds 1.")
    private @Nullable String delta;

    @Option(
            names = OUTPUT_TOPIC,
            defaultValue = "counters",
            paramLabel = "TOPIC",
            description =
                    "Topic for the values of the counters, as upserts. Default:"
                            + " ${DEFAULT-VALUE}.")
    public String outputTopic;

    @Mixin final OutputFormatArguments outputFormat = new OutputFormatArguments();

    @Option(
            names = DUPLICATES_TOPIC,
            defaultValue = "counters-duplicates",
            paramLabel = "TOPIC",
            description =
                    "Topic for operations that were seen before: records as they came; of packets,"
                            + " counter and id. Default: ${DEFAULT-VALUE}.")
    public String duplicatesTopic;

    @Option(
            names = LATE_TOPIC,
            defaultValue = "counters-late",
            paramLabel = "TOPIC",
            description = "Topic for operations older than the window. Default: ${DEFAULT-VALUE}.")
    public String lateTopic;

    @Option(
            names = ACKS_TOPIC,
            paramLabel = "TOPIC",
            description =
                    "Write the id of each operation that counts, and of each retry of one, in the"
                            + " transaction of its checkpoint: what a client finds there, it need"
                            + " not try again.")
    @Nullable
    String acksTopic;

    @Option(
            names = DEAD_LETTER_TOPIC,
            defaultValue = "counters-dead-letters",
            paramLabel = "TOPIC",
            description = "Topic for records that cannot be read. Default: ${DEFAULT-VALUE}.")
    public String deadLetterTopic;

    @Option(
            names = COMPARE_TOPIC,
            paramLabel = "TOPIC",
            description = "Count without a filter as well, and write these values there.")
    String compareTopic;

    @Option(
            names = GROUP,
            defaultValue = "sluice-counters",
            paramLabel = "ID",
            description =
                    "Consumer group that offsets are committed for. Default: ${DEFAULT-VALUE}.")
    String group;

    @Mixin final OperatorArguments operator = new OperatorArguments(OPERATOR);

    @Mixin final AgreementArguments agreement = new AgreementArguments();

    @Option(names = NO_FILTER, description = "Count every record, retries too, for comparison.")
    boolean noFilter;

    @Option(
            names = EMIT_EVERY,
            defaultValue = "1 s",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description =
                    "Write changed counters this often, and before every checkpoint; 0 writes after"
                            + " every operation. Default: ${DEFAULT-VALUE}.")
    Duration emitEvery;

    /**
     * The options in {@code arguments}, validated.
     *
     * @throws IllegalArgumentException if one is unknown, missing or out of range
     */
    public static CountersOptions parse(String... arguments) {
        return JobArguments.parse(new CountersOptions(), arguments);
    }

    /** Like {@link #parse(String...)}, for a list. */
    public static CountersOptions parse(List<String> arguments) {
        return parse(arguments.toArray(String[]::new));
    }

    @Override
    public void checkOwn() {
        atLeast(EMIT_EVERY, emitEvery, Duration.ZERO);
        if (isPackets()) {
            checkPackets();
        } else {
            checkFields();
        }
        if (inTwoPhases()) {
            checkTwoPhases();
        }
        operator.check(
                options -> IdempotentCounters.of(Operation::counter).configure(options).check());
        checkAgreement();
    }

    private void checkTwoPhases() {
        if (emitEvery.isZero()) {
            throw new IllegalArgumentException(
                    TWO_PHASES
                            + " needs an interval, but "
                            + EMIT_EVERY
                            + " is 0: operations are summed for an interval before they are sent to"
                            + " their counters. Give one, or leave "
                            + TWO_PHASES
                            + " out");
        }
        if (noFilter) {
            throw new IllegalArgumentException(
                    TWO_PHASES
                            + " and "
                            + NO_FILTER
                            + " exclude each other, but both are given: leave one of them out");
        }
    }

    private void checkAgreement() {
        String otherwise = null;
        if (noFilter) {
            otherwise =
                    NO_FILTER
                            + " exclude each other: without the filter, nobody knows which"
                            + " operations were counted";
        } else if (isProcessingTime()) {
            otherwise =
                    MessageArguments.TIME
                            + " processing exclude each other: the replicas compare windows of"
                            + " event time";
        }
        agreement.check(this, otherwise, window());
    }

    /** Returns the topic of reports about the agreement with the other replica. */
    public String reportsTopic() {
        return agreement.reportsTopic(this);
    }

    /** Returns the name of this replica. */
    public String replica() {
        return agreement.replica();
    }

    @Override
    public List<String> prepare(boolean continues) throws IOException {
        List<String> warnings = super.prepare(continues);
        outputFormat.register(messages.registry(), compactedTopics(), CounterAvroSchema.schema());
        agreement.prepare(this);
        return warnings;
    }

    private void checkPackets() {
        outputFormat.refuseOfPackets("counters");
        List<String> own = new ArrayList<>();
        if (counter != null) {
            own.add(COUNTER);
        }
        if (delta != null) {
            own.add(DELTA);
        }
        refuseFields(own);
    }

    private void checkFields() {
        require(counter != null, COUNTER, "where the name of the counter is");
        require(messages.hasId(), MessageArguments.ID, "what a retry shares with the first try");
        List<Field> others = new ArrayList<>(counterFields());
        if (delta != null) {
            others.add(MessageArguments.field(DELTA, delta));
        }
        checkFields(
                "values of counters",
                COUNTER + " names the counter",
                others,
                outputFormat.inAvro());
    }

    private static void require(boolean given, String option, String meaning) {
        if (!given) {
            throw new IllegalArgumentException(
                    option
                            + " is missing: say "
                            + meaning
                            + ", as in "
                            + option
                            + " json:/POINTER, or "
                            + FORMAT
                            + " packets for records of 'sluice replay'");
        }
    }

    /**
     * Returns how values of counters are written to a topic.
     *
     * @param name the bytes of a counter's name
     */
    <K> TopicSchema<CounterValue<K>> valueSchema(
            String topic, SerializableFunction<K, byte[]> name) {
        return outputFormat.isAvro()
                ? new CounterAvroSchema<>(topic, name, requireNonNull(messages.registry()))
                : new CounterValueSchema<>(topic, name);
    }

    @Override
    protected boolean namesFields() {
        return counter != null;
    }

    @Override
    protected String firstField() {
        return COUNTER + " where the counter of other records is";
    }

    @Override
    protected String allFields() {
        return COUNTER
                + ", "
                + MessageArguments.ID
                + " and "
                + DELTA
                + " where other records have what is counted";
    }

    private List<Field> counterFields() {
        return MessageArguments.fields(COUNTER, requireNonNull(counter));
    }

    @Override
    public MessageLayout layout() {
        return super.layout()
                .counting(
                        counterFields(),
                        delta == null ? null : MessageArguments.field(DELTA, delta));
    }

    @Override
    protected String needs() {
        return isPackets()
                ? super.needs()
                : "has the counter "
                        + MessageArguments.text(counterFields())
                        + ", the id "
                        + MessageArguments.text(messages.idFields())
                        + (delta == null ? "" : " and the delta " + delta);
    }

    @Override
    public String deadLetters() {
        return deadLetterTopic;
    }

    @Override
    public Duration window() {
        return operator.get(WindowedOptions.WITHIN);
    }

    @Override
    public String group() {
        return group;
    }

    @Override
    public int mostSubtasks() {
        return agreement.mostSubtasks();
    }

    @Override
    public MemorySize heapOfASubtask() {
        return operator.get(WindowedOptions.MEMORY);
    }

    @Override
    public JobSummary outcome() {
        Map<String, String> written = new LinkedHashMap<>();
        written.put(CountersJob.COUNTERS, outputTopic);
        List<Trouble> troubles = new ArrayList<>(troublesOfReading());
        List<Count> decided = List.of();
        String operatorName = nameOfTheFilter();
        if (!noFilter) {
            written.put(CountersJob.DUPLICATES_UID, duplicatesTopic);
            written.put(CountersJob.LATE_UID, lateTopic);
            decided =
                    List.of(
                            new Count(
                                    operatorName,
                                    DeduplicateMetrics.RECORDS,
                                    List.of(DeduplicateMetrics.DUPLICATES, DeduplicateMetrics.LATE),
                                    "counted"),
                            new Count(
                                    operatorName,
                                    DeduplicateMetrics.DUPLICATES,
                                    List.of(),
                                    "duplicates (topic)"),
                            new Count(
                                    operatorName,
                                    DeduplicateMetrics.LATE,
                                    List.of(),
                                    "late (topic)"));
            troubles.addAll(FilterArguments.troubles(operatorName, operator, WITHIN));
            troubles.add(
                    new Trouble(
                            operatorName,
                            DeduplicateMetrics.LATE,
                            "records were late and are not counted: event time was further past"
                                    + " them than --within ("
                                    + text(window())
                                    + "), so nobody can say whether they are retries; they are on"
                                    + " topic '"
                                    + lateTopic
                                    + "'. Raise --within, or --out-of-orderness ("
                                    + text(times.outOfOrderness)
                                    + ") if they are out of order within a partition"));
        }
        if (acksTopic != null) {
            written.put(CountersJob.ACKS_UID, acksTopic);
        }
        if (compareTopic != null) {
            written.put(CountersJob.COMPARE_UID, compareTopic);
        }
        if (agreement.areGiven()) {
            written.put(ReplicaArguments.REPORTS, reportsTopic());
            troubles.addAll(agreement.troubles());
        }
        written.put(KafkaEnds.DEAD_LETTERS, deadLetterTopic);
        troubles.addAll(troublesOfDeadLetters(deadLetterTopic));
        Covered covered =
                noFilter
                        ? null
                        : new Covered(
                                operatorName,
                                DeduplicateMetrics.COVERED_MILLIS,
                                DeduplicateMetrics.WINDOW_MILLIS);
        return new JobSummary(decided, covered, written, troubles);
    }

    /** Returns the full name of the operator that has the filter, as metrics know it. */
    private String nameOfTheFilter() {
        String name = "IdempotentCounters";
        return (inTwoPhases() ? name + ", operations: " : name + ": ") + CountersJob.COUNTERS;
    }

    private boolean inTwoPhases() {
        return operator.options().get(CounterOptions.TWO_PHASES);
    }

    @Override
    public String outputTopic() {
        return outputTopic;
    }

    @Override
    protected Map<String, String> optionsOfTheState() {
        Map<String, String> options = super.optionsOfTheState();
        if (!isPackets()) {
            options.put(COUNTER, MessageArguments.text(counterFields()));
            options.put(
                    DELTA, delta == null ? "1" : MessageArguments.field(DELTA, delta).toString());
        }
        return options;
    }

    /** Records that are not counted. */
    @Override
    public Set<String> topicsLikeTheInput() {
        return isPackets() || noFilter ? Set.of() : Set.of(duplicatesTopic, lateTopic);
    }

    @Override
    public Set<String> compactedTopics() {
        return compareTopic == null ? Set.of(outputTopic) : Set.of(outputTopic, compareTopic);
    }

    @Override
    public Map<String, String> outputTopics() {
        Map<String, String> topics = new LinkedHashMap<>();
        topics.put(OUTPUT_TOPIC, outputTopic);
        topics.put(DUPLICATES_TOPIC, duplicatesTopic);
        topics.put(LATE_TOPIC, lateTopic);
        if (acksTopic != null) {
            topics.put(ACKS_TOPIC, acksTopic);
        }
        topics.put(DEAD_LETTER_TOPIC, deadLetterTopic);
        if (compareTopic != null) {
            topics.put(COMPARE_TOPIC, compareTopic);
        }
        topics.putAll(agreement.topics(this));
        return topics;
    }
}
