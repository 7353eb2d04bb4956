/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.filter.plane.Layout;
import io.sluice.filter.window.OverflowPolicy;
import io.sluice.filter.window.WindowOptions;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.WindowedOptions;
import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.job.Outcome.Trouble;
import io.sluice.record.CounterKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.configuration.MemorySize;
import picocli.CommandLine.Command;
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
    public static final String WINDOW = "--window";
    public static final String FPP = "--fpp";
    public static final String MAX_FPP = "--max-fpp";
    public static final String LAYOUT = "--layout";
    public static final String HASH_SEED = "--hash-seed";
    public static final String EXPECTING = "--expecting";
    public static final String MEMORY = "--memory";
    public static final String ON_OVERFLOW = "--on-overflow";
    public static final String EXPIRE_AFTER = "--expire-after";
    public static final String NO_FILTER = "--no-filter";
    public static final String EMIT_EVERY = "--emit-every";

    @Option(
            names = OUTPUT_TOPIC,
            defaultValue = "counters",
            paramLabel = "TOPIC",
            description =
                    "Topic for the values of the counters, as upserts. Default:"
                            + " ${DEFAULT-VALUE}.")
    String outputTopic;

    @Option(
            names = DUPLICATES_TOPIC,
            defaultValue = "counters-duplicates",
            paramLabel = "TOPIC",
            description = "Topic for operations that were seen before. Default: ${DEFAULT-VALUE}.")
    String duplicatesTopic;

    @Option(
            names = LATE_TOPIC,
            defaultValue = "counters-late",
            paramLabel = "TOPIC",
            description = "Topic for operations older than the window. Default: ${DEFAULT-VALUE}.")
    String lateTopic;

    @Option(
            names = DEAD_LETTER_TOPIC,
            defaultValue = "counters-dead-letters",
            paramLabel = "TOPIC",
            description = "Topic for records that cannot be read. Default: ${DEFAULT-VALUE}.")
    String deadLetterTopic;

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

    @Option(
            names = WINDOW,
            defaultValue = "10 min",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description =
                    "How long after the first send a retry is still recognised, in event time."
                            + " Default: ${DEFAULT-VALUE}.")
    Duration window;

    @Option(
            names = FPP,
            paramLabel = "P",
            description =
                    "Probability of taking a new operation for a retry. Default: ${DEFAULT-VALUE}.")
    double fpp = WindowedOptions.FALSE_POSITIVE_PROBABILITY.defaultValue();

    @Option(
            names = MAX_FPP,
            paramLabel = "P",
            description =
                    "The highest value that this may reach when rate and window need more than"
                            + " --memory, before the oldest operations are forgotten early."
                            + " Default: ten times --fpp.")
    Double maxFpp;

    @Option(
            names = LAYOUT,
            paramLabel = "LAYOUT",
            description =
                    "How operations are laid out in the filters: ${COMPLETION-CANDIDATES}; may be"
                            + " changed at a restore. Default: FINGERPRINTS or QUOTIENT, whichever"
                            + " takes less memory for --fpp.")
    Layout layout;

    @Option(
            names = HASH_SEED,
            paramLabel = "N",
            description =
                    "Seed of the hash of operations, any number, the same across restarts. With the"
                            + " job's own seed, nobody who chooses ids can choose some that"
                            + " collide. A secret. Default: a public one.")
    Long hashSeed;

    @Option(
            names = EXPECTING,
            defaultValue = "10000",
            paramLabel = "N",
            description =
                    "New operations per second of event time, to size the filters, which adapt."
                            + " Default: ${DEFAULT-VALUE}.")
    long expecting;

    @Option(
            names = MEMORY,
            converter = Converters.OfMemorySize.class,
            paramLabel = "SIZE",
            description = "Cap on the filters of one subtask. Default: ${DEFAULT-VALUE}.")
    MemorySize memory = WindowedOptions.MEMORY.defaultValue();

    @Option(
            names = ON_OVERFLOW,
            paramLabel = "POLICY",
            description =
                    "What gives when rate, window and fpp need more than that:"
                            + " ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    OverflowPolicy onOverflow = WindowedOptions.ON_OVERFLOW.defaultValue();

    @Option(
            names = EXPIRE_AFTER,
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description =
                    "Forget a counter to which no operation was applied for this long, in event"
                            + " time; one that comes back begins at 0. Default: keep all.")
    Duration expireAfter;

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
    void checkOwn() {
        atLeast(EMIT_EVERY, emitEvery, Duration.ZERO);
        atLeast(WINDOW, window, Duration.ofMillis(1));
        if (!(fpp >= WindowOptions.MIN_FPP && fpp <= WindowSettings.MAX_FPP)) {
            throw new IllegalArgumentException(
                    FPP
                            + " must be at least "
                            + WindowOptions.MIN_FPP
                            + " and at most "
                            + WindowSettings.MAX_FPP
                            + ", but is "
                            + fpp
                            + ": 1e-6 misses one new operation in a million");
        }
        if (maxFpp != null && !(maxFpp >= fpp && maxFpp < 1)) {
            throw new IllegalArgumentException(
                    MAX_FPP
                            + " must be at least --fpp, which is "
                            + fpp
                            + ", and below 1, but is "
                            + maxFpp
                            + ": equal to it, only the window gives when --memory does not"
                            + " suffice");
        }
        if (expireAfter != null) {
            atLeast(EXPIRE_AFTER, expireAfter, Duration.ofMillis(1));
        }
    }

    @Override
    String group() {
        return group;
    }

    @Override
    public Outcome outcome() {
        Map<String, String> written = new LinkedHashMap<>();
        written.put(CountersJob.COUNTERS, outputTopic);
        List<Trouble> troubles = new ArrayList<>(troublesOfTheInput());
        if (!noFilter) {
            written.put(CountersJob.DUPLICATES_UID, duplicatesTopic);
            written.put(CountersJob.LATE_UID, lateTopic);
            troubles.add(
                    new Trouble(
                            "IdempotentCounters: " + CountersJob.COUNTERS,
                            DeduplicateMetrics.LATE,
                            "records were late and are not counted: event time was further past"
                                    + " them than --window ("
                                    + text(window)
                                    + "), so nobody can say whether they are retries; they are on"
                                    + " topic '"
                                    + lateTopic
                                    + "'. Raise --window, or --out-of-orderness ("
                                    + text(outOfOrderness)
                                    + ") if they are out of order within a partition"));
        }
        if (compareTopic != null) {
            written.put(CountersJob.COMPARE_UID, compareTopic);
        }
        written.put(PacketEnds.DEAD_LETTERS, deadLetterTopic);
        troubles.addAll(troublesOfDeadLetters(deadLetterTopic));
        return new Outcome(written, troubles);
    }

    @Override
    String outputTopic() {
        return outputTopic;
    }

    @Override
    Set<String> compactedTopics() {
        return compareTopic == null ? Set.of(outputTopic) : Set.of(outputTopic, compareTopic);
    }

    @Override
    Map<String, String> topics() {
        Map<String, String> topics = new LinkedHashMap<>();
        topics.put(INPUT_TOPIC, inputTopic);
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
