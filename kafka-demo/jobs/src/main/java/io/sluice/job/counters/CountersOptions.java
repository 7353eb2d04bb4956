/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import io.sluice.flink.WindowedOptions;
import io.sluice.flink.counter.CounterOptions;
import io.sluice.flink.counter.IdempotentCounters;
import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.job.Converters;
import io.sluice.job.FilterArguments;
import io.sluice.job.JobArguments;
import io.sluice.job.JobSummary;
import io.sluice.job.JobSummary.Trouble;
import io.sluice.job.KafkaEnds;
import io.sluice.job.KafkaJobOptions;
import io.sluice.job.OperatorArgument;
import io.sluice.job.OperatorArguments;
import io.sluice.job.packet.Operation;
import io.sluice.job.packet.PacketTopic;
import io.sluice.record.CounterKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The options of {@link CountersJob}, the same for {@code flink run}, for {@code sluice job
 * counters} and for programs, which pass them to {@link #parse}. After {@link #check()} they do not
 * change.
 */
@Command(sortOptions = false)
public final class CountersOptions extends KafkaJobOptions {
    public static final String OUTPUT_TOPIC = "--output-topic";
    public static final String DUPLICATES_TOPIC = "--duplicates-topic";
    public static final String LATE_TOPIC = "--late-topic";
    public static final String DEAD_LETTER_TOPIC = "--dead-letter-topic";
    public static final String COMPARE_TOPIC = "--compare-topic";
    public static final String GROUP = "--group";
    public static final String COUNT_BY = "--count-by";
    public static final String WITHIN = FilterArguments.WITHIN;
    public static final String FPP = FilterArguments.FPP;
    public static final String EXPECTING = FilterArguments.EXPECTING;
    public static final String NO_FILTER = "--no-filter";
    public static final String EMIT_EVERY = "--emit-every";

    private static final List<OperatorArgument<?>> OPERATOR =
            Stream.concat(
                            Stream.of(
                                    OperatorArgument.of(
                                                    WITHIN,
                                                    "DURATION",
                                                    WindowedOptions.WITHIN,
                                                    Duration.class)
                                            .withNote("In event time.")
                                            .withDefault(Duration.ofMinutes(10)),
                                    OperatorArgument.of(
                                                    "--expire-after",
                                                    "DURATION",
                                                    CounterOptions.EXPIRE_AFTER,
                                                    Duration.class)
                                            .withNote(
                                                    "In event time; a counter that comes back"
                                                            + " begins at 0.")),
                            FilterArguments.ALL.stream())
                    .toList();

    @Mixin PacketTopic packets = new PacketTopic();

    @Option(
            names = OUTPUT_TOPIC,
            defaultValue = "counters",
            paramLabel = "TOPIC",
            description =
                    "Topic for the values of the counters, as upserts. Default:"
                            + " ${DEFAULT-VALUE}.")
    public String outputTopic;

    @Option(
            names = DUPLICATES_TOPIC,
            defaultValue = "counters-duplicates",
            paramLabel = "TOPIC",
            description = "Topic for operations that were seen before. Default: ${DEFAULT-VALUE}.")
    public String duplicatesTopic;

    @Option(
            names = LATE_TOPIC,
            defaultValue = "counters-late",
            paramLabel = "TOPIC",
            description = "Topic for operations older than the window. Default: ${DEFAULT-VALUE}.")
    public String lateTopic;

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

    @Option(
            names = COUNT_BY,
            defaultValue = "source",
            converter = Converters.OfCounterKind.class,
            paramLabel = "KIND",
            description =
                    "One counter per 'source' address or per 'service' (protocol and port)."
                            + " Default: ${DEFAULT-VALUE}.")
    CounterKind countBy;

    @Mixin final OperatorArguments operator = new OperatorArguments(OPERATOR);

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
        operator.check(
                options -> IdempotentCounters.of(Operation::counter).configure(options).check());
    }

    @Override
    public List<String> inputTopics() {
        return List.of(packets.name);
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
    public JobSummary outcome() {
        Map<String, String> written = new LinkedHashMap<>();
        written.put(CountersJob.COUNTERS, outputTopic);
        List<Trouble> troubles = new ArrayList<>(troublesOfTheInput(source()));
        if (!noFilter) {
            written.put(CountersJob.DUPLICATES_UID, duplicatesTopic);
            written.put(CountersJob.LATE_UID, lateTopic);
            String counters = "IdempotentCounters: " + CountersJob.COUNTERS;
            troubles.addAll(FilterArguments.troubles(counters, operator, WITHIN));
            troubles.add(
                    new Trouble(
                            counters,
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
        if (compareTopic != null) {
            written.put(CountersJob.COMPARE_UID, compareTopic);
        }
        written.put(KafkaEnds.DEAD_LETTERS, deadLetterTopic);
        troubles.addAll(troublesOfDeadLetters(deadLetterTopic));
        return new JobSummary(written, troubles);
    }

    @Override
    public String outputTopic() {
        return outputTopic;
    }

    @Override
    protected Map<String, String> optionsOfTheState() {
        return Map.of(COUNT_BY, countBy.code());
    }

    @Override
    public Set<String> compactedTopics() {
        return compareTopic == null ? Set.of(outputTopic) : Set.of(outputTopic, compareTopic);
    }

    @Override
    public Map<String, String> topics() {
        Map<String, String> topics = new LinkedHashMap<>();
        topics.put(INPUT_TOPIC, packets.name);
        topics.put(OUTPUT_TOPIC, outputTopic);
        topics.put(DUPLICATES_TOPIC, duplicatesTopic);
        topics.put(LATE_TOPIC, lateTopic);
        topics.put(DEAD_LETTER_TOPIC, deadLetterTopic);
        if (compareTopic != null) {
            topics.put(COMPARE_TOPIC, compareTopic);
        }
        return topics;
    }
}
