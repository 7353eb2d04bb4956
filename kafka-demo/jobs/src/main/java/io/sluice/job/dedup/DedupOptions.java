/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.WindowedOptions;
import io.sluice.flink.dedup.Deduplicate;
import io.sluice.flink.dedup.DeduplicateOptions;
import io.sluice.flink.dedup.Keep;
import io.sluice.job.FilterArguments;
import io.sluice.job.JobArguments;
import io.sluice.job.JobSummary;
import io.sluice.job.KafkaJobOptions;
import io.sluice.job.OperatorArguments;
import io.sluice.job.dedup.ActionArguments.OnDuplicate;
import io.sluice.job.dedup.ActionArguments.OnLate;
import io.sluice.job.dedup.TopicArguments.Partitioning;
import io.sluice.message.Field;
import io.sluice.message.KafkaMessage;
import io.sluice.message.MessageLayout;
import io.sluice.message.SchemaRegistry;
import io.sluice.message.SchemaRegistryException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.connector.base.DeliveryGuarantee;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The options of {@link DedupJob}, the same for {@code flink run}, for {@code sluice job dedup} and
 * for programs. After {@link #check()} they do not change.
 */
@Command(sortOptions = false)
public final class DedupOptions extends KafkaJobOptions {
    public static final String OUTPUT_TOPIC = TopicArguments.OUTPUT_TOPIC;
    public static final String ID = "--id";
    public static final String WITHIN = RuleArguments.WITHIN;
    public static final String FOREVER = RuleArguments.FOREVER;
    public static final String TIME = "--time";
    public static final String DEAD_LETTER_TOPIC = TopicArguments.DEAD_LETTER_TOPIC;
    public static final String FPP = FilterArguments.FPP;

    static final String DELIVERY = "--delivery";

    private static final String EVENT_TIME = "event";

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
            names = "--strict",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description =
                    "Read JSON and Avro to the end, so that a value that is cut off behind its id"
                            + " cannot be read; --no-strict reads only what it needs. Default:"
                            + " ${DEFAULT-VALUE}.")
    boolean strict = true;

    @Option(
            names = DELIVERY,
            defaultValue = "exactly-once",
            converter = DeliveryConverter.class,
            paramLabel = "GUARANTEE",
            description =
                    "'exactly-once': records are written in transactions, and visible when their"
                            + " checkpoint completes. 'at-least-once': they are visible at once,"
                            + " without transactions, and after a failure those since the last"
                            + " checkpoint are written once more. Default: ${DEFAULT-VALUE}.")
    DeliveryGuarantee delivery;

    @Mixin final OperatorArguments operator = new OperatorArguments(RuleArguments.ALL);

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

    @Mixin ActionArguments actions = new ActionArguments();

    @Mixin TopicArguments topics = new TopicArguments();

    @Mixin TimeFormatArguments timeFormat = new TimeFormatArguments();

    @Mixin RegistryArguments registry = new RegistryArguments();

    private @Nullable Field timeField;

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
        if (operator.isGiven(WindowedOptions.WITHIN) == isForever()) {
            throw new IllegalArgumentException(
                    "give either "
                            + WITHIN
                            + " DURATION, how long an id is remembered, or "
                            + FOREVER);
        }
        requirePast(from());
        registry.check(usesAvro());
        DedupConflicts.check(this);
        operator.check(options -> Deduplicate.by(KafkaMessage::id).configure(options).check());
    }

    /** Of a time to come nobody knows yet at which offsets it begins. */
    private static void requirePast(From from) {
        if (from.time() != null && from.time().isAfter(Instant.now())) {
            throw new IllegalArgumentException(
                    TopicArguments.FROM
                            + " must not be in the future, but is "
                            + from
                            + ": say 'latest' for what comes after the start");
        }
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

    /** Where ids and times are. */
    MessageLayout layout() {
        return new MessageLayout(
                idFields(),
                timeField(),
                !isProcessingTime(),
                timeFormat.format(),
                registry.registry(),
                actions.tombstones,
                strict);
    }

    private static Field field(String option, String text) {
        try {
            return Field.parse(text.strip());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(option + ": " + e.getMessage(), e);
        }
    }

    /** Where the records begin that a new job writes. */
    From from() {
        return topics.from;
    }

    /** The timestamp of a record of Kafka of that time. */
    long timestampOf(Instant instant) {
        return isKafkasTime()
                ? timeFormat.unit().ofMillis(instant.toEpochMilli())
                : instant.toEpochMilli();
    }

    /** Whether a run without state may write records that an earlier one has written. */
    public boolean mayWriteAgain() {
        return from().isEarliest() || from().kind() == From.Kind.TIME;
    }

    /** Whether no id is forgotten. */
    boolean isForever() {
        return operator.get(DeduplicateOptions.FOREVER);
    }

    /** Whether the last record of an id passes. */
    boolean keepsLast() {
        return operator.get(DeduplicateOptions.KEEP) == Keep.LAST;
    }

    /** Whether the clock is that of Kafka's timestamps. */
    boolean isKafkasTime() {
        return time.equalsIgnoreCase(EVENT_TIME);
    }

    /** Whether the clock is that of arrival, or there is none. */
    boolean isProcessingTime() {
        return isForever() || time.equalsIgnoreCase("processing");
    }

    @Override
    public List<String> inputTopics() {
        return topics.inputs;
    }

    @Override
    protected Map<String, String> optionsOfTheState() {
        return Map.of(
                ID,
                String.join(",", idFields().stream().map(Field::toString).toList()),
                TIME,
                timeField() == null ? time.toLowerCase(Locale.ROOT) : timeField().toString(),
                TimeFormatArguments.TIME_UNIT,
                timeFormat.unitText(),
                TimeFormatArguments.TIME_ZONE,
                timeFormat.zoneText(),
                ActionArguments.TOMBSTONES,
                actions.tombstonesText(),
                TopicArguments.FROM,
                from().toString(),
                DELIVERY,
                delivery.toString());
    }

    /** Not to be asked for with {@link #FOREVER}, which has no event time. */
    @Override
    public Duration window() {
        return requireNonNull(operator.get(WindowedOptions.WITHIN), WITHIN);
    }

    /** Nothing is ahead of anything else where time is that of arrival. */
    @Override
    public long driftMillis() {
        return isProcessingTime() ? 0 : super.driftMillis();
    }

    @Override
    public String outputTopic() {
        return topics.output();
    }

    @Override
    public String group() {
        return topics.group();
    }

    @Override
    public String source() {
        return DedupJob.SOURCE;
    }

    @Override
    public boolean writesInTransactions() {
        return delivery == DeliveryGuarantee.EXACTLY_ONCE;
    }

    /** Whether late records are written to their own topic. */
    boolean hasLateTopic() {
        return actions.onLate == OnLate.TOPIC && !isForever();
    }

    @Override
    public Set<String> topicsLikeTheInput() {
        return topics.likeTheInput(actions.onDuplicate == OnDuplicate.TOPIC, hasLateTopic());
    }

    @Override
    public boolean keepsPartitions() {
        return topics.partitioning == Partitioning.KEEP;
    }

    @Override
    public Set<String> compactedTopics() {
        return Set.of();
    }

    @Override
    public Map<String, String> topics() {
        return topics.byOption(actions.onDuplicate == OnDuplicate.TOPIC, hasLateTopic());
    }

    @Override
    public JobSummary outcome() {
        return DedupSummary.of(this);
    }
}
