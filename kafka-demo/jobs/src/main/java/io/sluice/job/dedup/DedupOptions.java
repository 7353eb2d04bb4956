/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.dedup.Deduplicate;
import io.sluice.flink.dedup.Keep;
import io.sluice.job.Converters;
import io.sluice.job.FilterArguments;
import io.sluice.job.JobArguments;
import io.sluice.job.JobSummary;
import io.sluice.job.KafkaJobOptions;
import io.sluice.message.Field;
import io.sluice.message.MessageReader;
import io.sluice.message.SchemaRegistry;
import io.sluice.message.SchemaRegistryException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * The options of {@link DedupJob}, the same for {@code flink run}, for {@code sluice job dedup} and
 * for programs. After {@link #check()} they do not change.
 */
@Command(sortOptions = false)
public final class DedupOptions extends KafkaJobOptions {
    public static final String OUTPUT_TOPIC = "--output-topic";
    public static final String ID = "--id";
    public static final String WITHIN = "--within";
    public static final String FOREVER = "--forever";
    public static final String TIME = "--time";
    public static final String KEEP = "--keep";
    public static final String LIMIT = "--limit";
    public static final String RESET_ON_DUPLICATE = "--reset-on-duplicate";
    public static final String ON_DUPLICATE = "--on-duplicate";
    public static final String ON_LATE = "--on-late";
    public static final String ON_UNREADABLE = "--on-unreadable";
    public static final String DUPLICATES_TOPIC = "--duplicates-topic";
    public static final String LATE_TOPIC = "--late-topic";
    public static final String SUMMARY_TOPIC = "--summary-topic";
    public static final String DEAD_LETTER_TOPIC = "--dead-letter-topic";
    public static final String PARTITIONING = "--partitioning";
    public static final String VERIFY = "--verify";
    public static final String GROUP = "--group";
    public static final String FPP = FilterArguments.FPP;
    public static final String MEMORY = FilterArguments.MEMORY;
    public static final String EXPECTING = FilterArguments.EXPECTING;

    /** With less, a filter on disk has too few bits of an id, however few ids there are. */
    static final double MIN_FPP_FOREVER = 1e-11;

    private static final String EVENT_TIME = "event";

    /** What happens to a record whose id was seen. */
    public enum OnDuplicate {
        /** It ends here, counted. */
        DROP,
        /** It passes with one more header. */
        TAG,
        /** It goes to the topic of duplicates. */
        TOPIC
    }

    /** What happens to a record older than the window. */
    public enum OnLate {
        /** It passes: better a duplicate than a loss. */
        FORWARD,
        /** It ends here, counted. */
        DROP,
        /** It goes to the topic of late records. */
        TOPIC
    }

    /** What happens to a record whose id or time cannot be read. */
    public enum OnUnreadable {
        /** It goes to the topic of dead letters, with the reason. */
        DEAD_LETTER,
        /** It passes, every time. */
        FORWARD,
        /** The job fails. */
        FAIL
    }

    /** Which partition a record is written to. */
    public enum Partitioning {
        /** The one with the number that it came from. */
        KEEP,
        /** The one that Kafka's producer chooses by the record's key. */
        KEY
    }

    @Option(
            names = INPUT_TOPIC,
            required = true,
            split = ",",
            paramLabel = "TOPIC,...",
            description = "Topics to read; their records are deduplicated together.")
    List<String> inputTopics = List.of();

    @Option(
            names = OUTPUT_TOPIC,
            paramLabel = "TOPIC",
            description =
                    "Topic for the records whose id is new. Default: the first input topic,"
                            + " followed by '-deduplicated'.")
    @Nullable
    String outputTopic;

    @Option(
            names = ID,
            split = ",",
            paramLabel = "FIELD,...",
            description =
                    "Where the id is: "
                            + Field.SYNTAX
                            + ". A pointer is one of RFC 6901, as in json:/order/id. Several"
                            + " fields make one id. Default: key.")
    List<String> id = List.of("key");

    @Option(
            names = WITHIN,
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description =
                    "How long after the first record with an id a second one is still recognised."
                            + " Either this or --forever is required.")
    @Nullable
    Duration within;

    @Option(
            names = FOREVER,
            description =
                    "Forget no id: ids are marked in Flink's state, in filters on the local disk,"
                            + " at --fpp. There is room for 1e18 times --fpp ids; beyond, the"
                            + " oldest are forgotten. --memory is then that of one slot.")
    boolean forever;

    @Option(
            names = TIME,
            defaultValue = EVENT_TIME,
            paramLabel = "TIME",
            description =
                    "The clock of --within: 'event' for the timestamps of Kafka's records,"
                            + " 'processing' for the time of arrival, or the field of a record with"
                            + " a number of --time-unit since 1970, or date and time, as in"
                            + " json:/created or header:time. Default: ${DEFAULT-VALUE}.")
    String time;

    @Option(
            names = KEEP,
            defaultValue = "first",
            paramLabel = "WHICH",
            description =
                    "Which record of an id passes: the 'first', at once, or the 'last', when"
                            + " --within has passed since the first. The last is held in exact"
                            + " state, in RocksDB unless Flink is configured with another backend."
                            + " Default: ${DEFAULT-VALUE}.")
    Keep keep;

    @Option(
            names = LIMIT,
            defaultValue = "1",
            paramLabel = "N",
            description =
                    "How many records of an id pass within --within, at most 64. --expecting is"
                            + " then that of all that pass. Default: ${DEFAULT-VALUE}.")
    int limit;

    @Option(
            names = RESET_ON_DUPLICATE,
            description =
                    "A duplicate begins --within again: an id is forgotten when it has not come"
                            + " for that long.")
    boolean resetOnDuplicate;

    @Option(
            names = ON_DUPLICATE,
            defaultValue = "drop",
            paramLabel = "ACTION",
            description =
                    "What happens to a record whose id was seen: 'drop', 'tag' (it passes with the"
                            + " header "
                            + DedupJob.DUPLICATE_HEADER
                            + "), or 'topic'. All are counted. Default: ${DEFAULT-VALUE}.")
    OnDuplicate onDuplicate;

    @Option(
            names = ON_LATE,
            defaultValue = "forward",
            paramLabel = "ACTION",
            description =
                    "What happens to a record older than --within, whose id may have been"
                            + " forgotten: 'forward', 'drop' or 'topic'. All are counted. Default:"
                            + " ${DEFAULT-VALUE}.")
    OnLate onLate;

    @Option(
            names = ON_UNREADABLE,
            defaultValue = "dead-letter",
            converter = OfOnUnreadable.class,
            paramLabel = "ACTION",
            description =
                    "What happens to a record in which --id or --time cannot be read:"
                            + " 'dead-letter', 'forward' or 'fail'. Default: ${DEFAULT-VALUE}.")
    OnUnreadable onUnreadable;

    @Option(
            names = DUPLICATES_TOPIC,
            paramLabel = "TOPIC",
            description =
                    "Topic of --on-duplicate topic. Default: the output topic, followed by"
                            + " '-duplicates'.")
    @Nullable
    String duplicatesTopic;

    @Option(
            names = LATE_TOPIC,
            paramLabel = "TOPIC",
            description =
                    "Topic of --on-late topic. Default: the output topic, followed by '-late'.")
    @Nullable
    String lateTopic;

    @Option(
            names = SUMMARY_TOPIC,
            paramLabel = "TOPIC",
            description =
                    "Topic for the number of suppressed duplicates of each id that had some in"
                            + " --within, as JSON. Takes some hundred bytes of state per such id."
                            + " Default: they are only counted all together.")
    @Nullable
    String summaryTopic;

    @Option(
            names = DEAD_LETTER_TOPIC,
            paramLabel = "TOPIC",
            description =
                    "Topic for records that cannot be judged or written. Default: the output"
                            + " topic, followed by '-dead-letters'.")
    @Nullable
    String deadLetterTopic;

    @Option(
            names = PARTITIONING,
            defaultValue = "keep",
            paramLabel = "HOW",
            description =
                    "Where a record is written: 'keep' for the partition with the number that it"
                        + " came from, 'key' for the one that Kafka chooses by its key. Default:"
                        + " ${DEFAULT-VALUE}.")
    Partitioning partitioning;

    @Option(
            names = VERIFY,
            description =
                    "Look an id up in exact state before its record is taken for a duplicate: no"
                            + " new record is dropped. The state grows with the ids in the window.")
    boolean verify;

    @Option(
            names = GROUP,
            paramLabel = "ID",
            description =
                    "Consumer group that offsets are committed for. Default: 'sluice-dedup-',"
                            + " followed by the output topic.")
    @Nullable
    String group;

    @Mixin TimeFormatArguments timeFormat = new TimeFormatArguments();

    @Mixin RegistryArguments registry = new RegistryArguments();

    @Mixin FilterArguments filter = new FilterArguments();

    private @Nullable Field timeField;

    /** Kinds of {@link OnUnreadable} as options write them. */
    static final class OfOnUnreadable implements ITypeConverter<OnUnreadable> {
        @Override
        public OnUnreadable convert(String text) {
            for (OnUnreadable action : OnUnreadable.values()) {
                if (action.name().replace('_', '-').equalsIgnoreCase(text)) {
                    return action;
                }
            }
            throw new TypeConversionException(
                    "'" + text + "' is not an action: write dead-letter, forward or fail");
        }
    }

    /**
     * The options in {@code arguments}, validated.
     *
     * @throws IllegalArgumentException if one is unknown, missing or out of range
     */
    public static DedupOptions parse(String... arguments) {
        return JobArguments.parse(new DedupOptions(), arguments);
    }

    @Override
    public void checkOwn() {
        List<Field> fields = idFields();
        if (fields.isEmpty()) {
            throw new IllegalArgumentException(ID + " must name a field: write " + Field.SYNTAX);
        }
        timeField();
        if ((within == null) == !forever) {
            throw new IllegalArgumentException(
                    "give either "
                            + WITHIN
                            + " DURATION, how long an id is remembered, or "
                            + FOREVER);
        }
        if (within != null) {
            atLeast(WITHIN, within, Duration.ofMillis(1));
        }
        if (limit < 1 || limit > Deduplicate.MAX_LIMIT) {
            throw new IllegalArgumentException(
                    LIMIT
                            + " must be at least 1 and at most "
                            + Deduplicate.MAX_LIMIT
                            + ", but is "
                            + limit);
        }
        registry.check(usesAvro());
        filter.check();
        DedupConflicts.check(this);
    }

    private boolean usesAvro() {
        return idFields().stream().anyMatch(Field::isAvro)
                || (timeField() != null && timeField().isAvro());
    }

    /**
     * Makes sure that the schema registry answers, if there is one.
     *
     * @throws SchemaRegistryException if not
     */
    public void requireRegistry() throws SchemaRegistryException {
        SchemaRegistry used = registry.registry();
        if (used != null) {
            used.requireAnswer();
        }
    }

    /** The fields of the id. */
    List<Field> idFields() {
        List<Field> fields = new ArrayList<>();
        for (String text : id) {
            fields.add(field(ID, text));
        }
        return fields;
    }

    /** The field of the time; null if the time is Kafka's, or that of arrival. */
    @Nullable
    Field timeField() {
        if (timeField == null && !isProcessingTime() && !isKafkasTime()) {
            timeField = field(TIME, time);
        }
        return timeField;
    }

    /** A reader of ids and times. */
    MessageReader reader() {
        return new MessageReader(
                idFields(),
                timeField(),
                !isProcessingTime(),
                timeFormat.format(),
                registry.registry());
    }

    private static Field field(String option, String text) {
        try {
            return Field.parse(text.strip());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(option + ": " + e.getMessage(), e);
        }
    }

    /** Whether the clock is that of Kafka's timestamps. */
    boolean isKafkasTime() {
        return time.equalsIgnoreCase(EVENT_TIME);
    }

    /** Whether the clock is that of arrival, or there is none. */
    boolean isProcessingTime() {
        return forever || time.equalsIgnoreCase("processing");
    }

    @Override
    public List<String> inputTopics() {
        return inputTopics;
    }

    /** Not to be asked for with {@link #FOREVER}, which has no event time. */
    @Override
    public Duration window() {
        return requireNonNull(within, WITHIN);
    }

    /** Nothing is ahead of anything else where time is that of arrival. */
    @Override
    public long driftMillis() {
        return isProcessingTime() ? 0 : super.driftMillis();
    }

    @Override
    public String outputTopic() {
        return outputTopic == null ? inputTopics.get(0) + "-deduplicated" : outputTopic;
    }

    String duplicatesTopic() {
        return duplicatesTopic == null ? outputTopic() + "-duplicates" : duplicatesTopic;
    }

    String lateTopic() {
        return lateTopic == null ? outputTopic() + "-late" : lateTopic;
    }

    String deadLetterTopic() {
        return deadLetterTopic == null ? outputTopic() + "-dead-letters" : deadLetterTopic;
    }

    @Override
    public String group() {
        return group == null ? "sluice-dedup-" + outputTopic() : group;
    }

    @Override
    public String source() {
        return DedupJob.SOURCE;
    }

    /** Whether late records are written to their own topic. */
    boolean hasLateTopic() {
        return onLate == OnLate.TOPIC && !forever;
    }

    @Override
    public Set<String> topicsLikeTheInput() {
        Set<String> topics = new LinkedHashSet<>();
        topics.add(outputTopic());
        if (onDuplicate == OnDuplicate.TOPIC) {
            topics.add(duplicatesTopic());
        }
        if (hasLateTopic()) {
            topics.add(lateTopic());
        }
        return topics;
    }

    @Override
    public boolean keepsPartitions() {
        return partitioning == Partitioning.KEEP;
    }

    @Override
    public Set<String> compactedTopics() {
        return Set.of();
    }

    @Override
    public Map<String, String> topics() {
        Map<String, String> topics = new LinkedHashMap<>();
        for (int i = 0; i < inputTopics.size(); i++) {
            topics.put(INPUT_TOPIC + (i == 0 ? "" : " (" + (i + 1) + ")"), inputTopics.get(i));
        }
        topics.put(OUTPUT_TOPIC, outputTopic());
        if (onDuplicate == OnDuplicate.TOPIC) {
            topics.put(DUPLICATES_TOPIC, duplicatesTopic());
        }
        if (hasLateTopic()) {
            topics.put(LATE_TOPIC, lateTopic());
        }
        if (summaryTopic != null) {
            topics.put(SUMMARY_TOPIC, summaryTopic);
        }
        topics.put(DEAD_LETTER_TOPIC, deadLetterTopic());
        return topics;
    }

    @Override
    public JobSummary outcome() {
        return DedupSummary.of(this);
    }
}
