/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.machine;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.WindowedOptions;
import io.sluice.flink.machine.FollowingMetrics;
import io.sluice.flink.machine.MachineDefinition;
import io.sluice.flink.machine.MachineMetrics;
import io.sluice.flink.machine.MachineOptions;
import io.sluice.flink.machine.MachineReport;
import io.sluice.flink.machine.MachineReport.Kind;
import io.sluice.flink.machine.Machines;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.StoreOptions;
import io.sluice.flink.machine.store.WhenFull;
import io.sluice.job.FilterArguments;
import io.sluice.job.JobArguments;
import io.sluice.job.JobSummary;
import io.sluice.job.JobSummary.Count;
import io.sluice.job.JobSummary.Trouble;
import io.sluice.job.KafkaEnds;
import io.sluice.job.OperatorArgument;
import io.sluice.job.OperatorArguments;
import io.sluice.job.format.FormatJobOptions;
import io.sluice.job.message.MessageArguments;
import io.sluice.job.message.OutputFormatArguments;
import io.sluice.kafka.TopicSchema;
import io.sluice.message.Field;
import io.sluice.message.MessageLayout;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * The options of {@link MachineJob}, the same for {@code flink run}, for {@code sluice job machine}
 * and for programs, which pass them to {@link #parse}. After {@link #check()} they do not change.
 */
@Command(sortOptions = false)
public final class MachineJobOptions extends FormatJobOptions {
    public static final String KEY = "--key";
    public static final String EVENT = "--event";
    public static final String MACHINE = "--machine";
    public static final String OUTPUT_TOPIC = "--output-topic";
    public static final String ALERTS_TOPIC = "--alerts-topic";
    public static final String LATE_TOPIC = "--late-topic";
    public static final String DEAD_LETTER_TOPIC = "--dead-letter-topic";
    public static final String GROUP = "--group";
    public static final String EMIT = "--emit";
    public static final String ALERT = "--alert";
    public static final String RENAMED = "--renamed";
    public static final String STORE = "--store";
    public static final String MAX_FUTURE = "--max-future";
    public static final String MEMORY = FilterArguments.MEMORY;

    /** Full name of the operator, as metrics know it. */
    private static final String OPERATOR_NAME = "Machines: " + MachineJob.MACHINES;

    /** In a backlog one partition may be read hours ahead of another. */
    private static final Duration MIN_DEFAULT_FUTURE = Duration.ofDays(1);

    /** Of a machine that holds no state, and so remembers nothing. */
    private static final Duration WINDOW_OF_NOTHING = Duration.ofHours(1);

    private static final List<OperatorArgument<?>> OPERATOR =
            List.of(
                    OperatorArgument.of(STORE, "KIND", MachineOptions.STORE, StoreKind.class),
                    OperatorArgument.of(
                            "--error-probability",
                            "P",
                            MachineOptions.ERROR_PROBABILITY,
                            Double.class),
                    OperatorArgument.of("--slices", "N", MachineOptions.SLICES, Integer.class),
                    OperatorArgument.of(
                            FilterArguments.EXPECTING, "N", MachineOptions.EXPECTING, Long.class),
                    OperatorArgument.of(
                            "--bits-per-machine",
                            "BITS",
                            MachineOptions.BITS_PER_MACHINE,
                            Double.class),
                    OperatorArgument.of(MEMORY, "SIZE", MachineOptions.MEMORY, MemorySize.class),
                    OperatorArgument.of(
                            "--when-full", "POLICY", MachineOptions.WHEN_FULL, WhenFull.class),
                    OperatorArgument.of(
                                    MAX_FUTURE,
                                    "DURATION",
                                    MachineOptions.MAX_FUTURE,
                                    Duration.class)
                            .withNote("In a job that is at least a day."),
                    OperatorArgument.of("--hash-seed", "N", WindowedOptions.HASH_SEED, Long.class));

    @Option(
            names = KEY,
            split = ",",
            paramLabel = "FIELD,...",
            description =
                    "Where the key of the machine is, in the words of --id. Several fields make one"
                            + " key, which is an array in JSON. All events of a key must be in one"
                            + " partition. Default: key.")
    private @Nullable List<String> key;

    @Option(
            names = EVENT,
            paramLabel = "FIELD",
            description =
                    "Where the name of the event is, in the words of --id. An event that the"
                            + " machine does not have is illegal in every state.")
    private @Nullable String event;

    @Option(
            names = MACHINE,
            paramLabel = "FILE",
            description =
                    "File of the machine, in YAML or JSON; 'sluice machine check' explains it.")
    private @Nullable Path machine;

    @Option(
            names = OUTPUT_TOPIC,
            defaultValue = "machines",
            paramLabel = "TOPIC",
            description =
                    "Topic for machines that have finished, and what else --emit says. Default:"
                            + " ${DEFAULT-VALUE}.")
    String outputTopic;

    @Option(
            names = ALERTS_TOPIC,
            defaultValue = "machines-alerts",
            paramLabel = "TOPIC",
            description =
                    "Topic for illegal events, time-outs, and what else --alert says. Default:"
                            + " ${DEFAULT-VALUE}.")
    String alertsTopic;

    @Mixin final OutputFormatArguments outputFormat = new OutputFormatArguments();

    @Option(
            names = LATE_TOPIC,
            paramLabel = "TOPIC",
            description =
                    "Topic for events behind event time, as they came, which are not followed then."
                            + " Default: they are followed like others.")
    @Nullable
    String lateTopic;

    @Option(
            names = DEAD_LETTER_TOPIC,
            defaultValue = "machines-dead-letters",
            paramLabel = "TOPIC",
            description = "Topic for records that cannot be read. Default: ${DEFAULT-VALUE}.")
    String deadLetterTopic;

    @Option(
            names = GROUP,
            defaultValue = "sluice-machine",
            paramLabel = "ID",
            description =
                    "Consumer group that offsets are committed for. Default: ${DEFAULT-VALUE}.")
    String group;

    @Option(
            names = EMIT,
            split = ",",
            converter = OfKind.class,
            defaultValue = "output,finished,open",
            paramLabel = "KIND,...",
            description =
                    "What goes to --output-topic: first, transition, output, finished, illegal,"
                            + " ambiguous, timed-out, open. Default: ${DEFAULT-VALUE}.")
    List<Kind> emit;

    @Option(
            names = ALERT,
            split = ",",
            converter = OfKind.class,
            defaultValue = "illegal,timed-out",
            paramLabel = "KIND,...",
            description =
                    "What goes to --alerts-topic; a kind goes to one topic. Default:"
                            + " ${DEFAULT-VALUE}.")
    List<Kind> alert;

    @Option(
            names = RENAMED,
            split = ",",
            paramLabel = "FORMER=PRESENT,...",
            description =
                    "States of the state to continue from that the machine does not have any more,"
                            + " each with its successor.")
    Map<String, String> renamed = Map.of();

    @Mixin final OperatorArguments operator = new OperatorArguments(OPERATOR);

    private @Nullable MachineDefinition definition;

    /**
     * The options in {@code arguments}, validated.
     *
     * @throws IllegalArgumentException if one is unknown, missing or out of range, or the file is
     *     not a machine
     */
    public static MachineJobOptions parse(String... arguments) {
        return JobArguments.parse(new MachineJobOptions(), arguments);
    }

    /** Like {@link #parse(String...)}, for a list. */
    public static MachineJobOptions parse(List<String> arguments) {
        return parse(arguments.toArray(String[]::new));
    }

    @Override
    public void checkOwn() {
        if (countsBy()) {
            throw new IllegalArgumentException(
                    COUNT_BY
                            + " has no effect, since a machine of packets is that of a connection:"
                            + " leave it out");
        }
        if (isPackets()) {
            checkPackets();
        } else {
            checkFields();
        }
        if (isProcessingTime()) {
            refuse(lateTopic != null, LATE_TOPIC);
            refuse(operator.isGiven(MachineOptions.MAX_FUTURE), MAX_FUTURE);
        }
        for (Kind kind : emit) {
            if (alert.contains(kind)) {
                throw new IllegalArgumentException(
                        EMIT
                                + " and "
                                + ALERT
                                + " both have "
                                + MachineReportSchema.name(kind.name())
                                + ": leave it out of one of them");
            }
        }
        definition = read();
        operator.check(
                options ->
                        Machines.by((String text) -> text)
                                .machine(definition())
                                .event(text -> text)
                                .configure(options)
                                .check());
        renamed.forEach(
                (former, present) -> {
                    if (definition.state(present) == MachineDefinition.ILLEGAL) {
                        throw new IllegalArgumentException(
                                RENAMED
                                        + " "
                                        + former
                                        + "="
                                        + present
                                        + " names a state that the machine does not have; its"
                                        + " states are "
                                        + String.join(", ", definition.states())
                                        + ": correct the name");
                    }
                    int still = definition.state(former);
                    if (still != MachineDefinition.ILLEGAL && definition.isHeld(still)) {
                        throw new IllegalArgumentException(
                                RENAMED
                                        + " "
                                        + former
                                        + "="
                                        + present
                                        + " names a successor of a state that the machine still"
                                        + " has: each restart would move its machines. Leave it"
                                        + " out, or remove the state from the file");
                    }
                });
    }

    private void checkPackets() {
        outputFormat.refuseOfPackets("reports");
        if (lateTopic != null) {
            throw new IllegalArgumentException(
                    LATE_TOPIC
                            + " is for records of any kind, which are written as they came: leave"
                            + " it out, since of packets only connection and event are kept");
        }
        List<String> own = new ArrayList<>();
        if (key != null) {
            own.add(KEY);
        }
        if (event != null) {
            own.add(EVENT);
        }
        refuseFields(own);
    }

    private void checkFields() {
        if (event == null) {
            throw new IllegalArgumentException(
                    EVENT
                            + " is missing: say where the name of the event is, as in "
                            + EVENT
                            + " json:/POINTER, or "
                            + FORMAT
                            + " packets for records of 'sluice replay'");
        }
        if (messages.hasId()) {
            throw new IllegalArgumentException(
                    MessageArguments.ID
                            + " has no effect, since a machine follows every event: leave it out,"
                            + " or name the machine with "
                            + KEY);
        }
        List<Field> fields = new ArrayList<>(keyFields());
        fields.add(eventField());
        checkFields(
                "reports of machines", KEY + " names the machine", fields, outputFormat.inAvro());
    }

    /** Machines follow fields unless the command line says packets. */
    @Override
    protected boolean namesFields() {
        return true;
    }

    @Override
    protected String firstField() {
        return FORMAT + " fields, " + allFields();
    }

    @Override
    protected String allFields() {
        return KEY + " and " + EVENT + " where other records have key and event";
    }

    private MachineDefinition read() {
        if (machine == null) {
            throw new IllegalArgumentException(
                    MACHINE + " is missing: name the file of the machine");
        }
        try {
            return MachineDefinition.read(machine);
        } catch (IOException e) {
            throw new IllegalArgumentException(MACHINE + " " + e.getMessage(), e);
        }
    }

    /** Returns the machine that each key has. */
    MachineDefinition definition() {
        return requireNonNull(definition, "check() comes first");
    }

    private List<Field> keyFields() {
        return MessageArguments.fields(KEY, key == null ? List.of("key") : key);
    }

    private Field eventField() {
        return MessageArguments.field(EVENT, requireNonNull(event));
    }

    @Override
    public MessageLayout layout() {
        return super.layout().following(keyFields(), eventField());
    }

    /** Returns the options of the operator. */
    ReadableConfig operatorOptions() {
        Configuration options = operator.options();
        options.set(MachineOptions.MAX_FUTURE, maxFuture());
        return options;
    }

    private Duration maxFuture() {
        return operator.options()
                .getOptional(MachineOptions.MAX_FUTURE)
                .orElseGet(
                        () ->
                                Stream.concat(timesToLive(), Stream.of(MIN_DEFAULT_FUTURE))
                                        .max(Comparator.naturalOrder())
                                        .orElseThrow());
    }

    private Stream<Duration> timesToLive() {
        return IntStream.range(0, definition().states().size())
                .mapToObj(definition()::timeToLive)
                .flatMap(Optional::stream);
    }

    @Override
    public Duration window() {
        return timesToLive().min(Comparator.naturalOrder()).orElse(WINDOW_OF_NOTHING);
    }

    @Override
    protected String needs() {
        return isPackets()
                ? super.needs()
                : "has the key "
                        + MessageArguments.text(keyFields())
                        + " and the event "
                        + eventField();
    }

    @Override
    protected String remedy() {
        return isPackets()
                ? super.remedy()
                : "Say with " + KEY + " and " + EVENT + " where key and event are: " + Field.SYNTAX;
    }

    /** Returns how reports are written to a topic. */
    TopicSchema<MachineReport> reportSchema(String topic) {
        String name = definition().name();
        return outputFormat.isAvro()
                ? new MachineReportAvroSchema(topic, name, requireNonNull(messages.registry()))
                : new MachineReportSchema(topic, name);
    }

    @Override
    public List<String> prepare(boolean continues) throws IOException {
        List<String> warnings = super.prepare(continues);
        outputFormat.register(
                messages.registry(),
                List.of(outputTopic, alertsTopic),
                MachineReportAvroSchema.schema());
        return warnings;
    }

    @Override
    public String deadLetters() {
        return deadLetterTopic;
    }

    @Override
    public String group() {
        return group;
    }

    @Override
    public String outputTopic() {
        return outputTopic;
    }

    @Override
    public MemorySize heapOfASubtask() {
        return operator.get(MachineOptions.MEMORY);
    }

    @Override
    public JobSummary outcome() {
        Map<String, String> written = new LinkedHashMap<>();
        written.put(MachineJob.MACHINES, outputTopic);
        written.put(MachineJob.ALERTS_UID, alertsTopic);
        if (lateTopic != null) {
            written.put(MachineJob.LATE_UID, lateTopic);
        }
        written.put(KafkaEnds.DEAD_LETTERS, deadLetterTopic);
        List<Trouble> troubles = new ArrayList<>(troublesOfReading());
        troubles.addAll(troublesOfMachines());
        troubles.addAll(troublesOfDeadLetters(deadLetterTopic));
        List<Count> decided =
                List.of(
                        count(MachineMetrics.EVENTS, "events followed"),
                        count(MachineMetrics.ILLEGAL, "of them illegal"),
                        count(MachineMetrics.BEGAN, "machines began"),
                        count(MachineMetrics.FINISHED, "machines finished"),
                        count(MachineMetrics.TIMED_OUT, "machines timed out"),
                        count(MachineMetrics.OPEN_AT_END, "machines open at the end"));
        return new JobSummary(decided, null, written, troubles);
    }

    private static Count count(String metric, String text) {
        return new Count(OPERATOR_NAME, metric, List.of(), text);
    }

    private List<Trouble> troublesOfMachines() {
        List<Trouble> troubles = new ArrayList<>();
        troubles.add(
                new Trouble(
                        OPERATOR_NAME,
                        FollowingMetrics.LATE,
                        lateTopic == null
                                ? "events were behind event time, and were followed; their machines"
                                        + " may have timed out before they came. Raise"
                                        + " --out-of-orderness ("
                                        + text(times.outOfOrderness)
                                        + ") if they are out of order within a partition"
                                : "events were behind event time, and are on topic '"
                                        + lateTopic
                                        + "'; raise --out-of-orderness ("
                                        + text(times.outOfOrderness)
                                        + ") if they are out of order within a partition"));
        troubles.add(
                new Trouble(
                        OPERATOR_NAME,
                        FollowingMetrics.FUTURE,
                        "events were more than "
                                + MAX_FUTURE
                                + " ("
                                + text(maxFuture())
                                + ") ahead of event time, and were followed as if they were exactly"
                                + " that far ahead: if their times are right, raise "
                                + MAX_FUTURE));
        troubles.add(
                new Trouble(
                        OPERATOR_NAME,
                        MachineMetrics.WITHOUT_ROOM,
                        "events had no effect, since their machines found no room in "
                                + MEMORY
                                + " ("
                                + operator.get(MachineOptions.MEMORY)
                                + "), where --when-full is "
                                + operator.get(MachineOptions.WHEN_FULL)
                                + ": raise "
                                + MEMORY));
        if (operator.get(MachineOptions.STORE) == StoreKind.KBF) {
            troubles.add(
                    new Trouble(
                            OPERATOR_NAME,
                            MachineMetrics.AMBIGUOUS,
                            "events had no effect, since a key-value filter could not tell the"
                                    + " state of their machines: raise --bits-per-machine"));
            troubles.add(
                    new Trouble(
                            OPERATOR_NAME,
                            MachineMetrics.REFUSED,
                            "events had no effect, since a key-value filter refused the new state"
                                    + " of their machines: raise --bits-per-machine"));
        }
        boolean isExact =
                StoreOptions.isExact(
                        operator.options(), MachineOptions.STORE, MachineOptions.ERROR_PROBABILITY);
        if (!isExact) {
            troubles.add(
                    new Trouble(
                            OPERATOR_NAME,
                            MachineMetrics.TIMED_OUT,
                            "machines timed out, which only --store exact can list and write"));
            troubles.add(
                    new Trouble(
                            OPERATOR_NAME,
                            MachineMetrics.OPEN_AT_END,
                            "machines were still open at the end, which only --store exact can list"
                                    + " and write"));
        }
        return troubles;
    }

    /**
     * What a key and an event are made of, and which machine it is. Its states may change: they are
     * taken over by their names, or refused.
     */
    @Override
    protected Map<String, String> optionsOfTheState() {
        Map<String, String> options = new LinkedHashMap<>();
        if (isPackets()) {
            options.put(KEY, "the connection of a packet");
            options.put(EVENT, "the flags of a packet");
        } else {
            options.putAll(messages.ofTheState());
            options.remove(MessageArguments.ID);
            options.put(KEY, MessageArguments.text(keyFields()));
            options.put(EVENT, eventField().toString());
        }
        options.put(MACHINE, definition().name());
        return options;
    }

    /** Events that are not followed. */
    @Override
    public Set<String> topicsLikeTheInput() {
        return lateTopic == null ? Set.of() : Set.of(lateTopic);
    }

    @Override
    public Set<String> compactedTopics() {
        return Set.of();
    }

    @Override
    public Map<String, String> outputTopics() {
        Map<String, String> topics = new LinkedHashMap<>();
        topics.put(OUTPUT_TOPIC, outputTopic);
        topics.put(ALERTS_TOPIC, alertsTopic);
        topics.put(DEAD_LETTER_TOPIC, deadLetterTopic);
        if (lateTopic != null) {
            topics.put(LATE_TOPIC, lateTopic);
        }
        return topics;
    }

    /** Kinds of reports as options write them. */
    static final class OfKind implements ITypeConverter<Kind> {
        @Override
        public Kind convert(String text) {
            return Arrays.stream(Kind.values())
                    .filter(kind -> MachineReportSchema.name(kind.name()).equalsIgnoreCase(text))
                    .findAny()
                    .orElseThrow(
                            () ->
                                    new TypeConversionException(
                                            "'"
                                                    + text
                                                    + "' is not a kind of report: write one of "
                                                    + Arrays.stream(Kind.values())
                                                            .map(Kind::name)
                                                            .map(MachineReportSchema::name)
                                                            .collect(Collectors.joining(", "))));
        }
    }
}
