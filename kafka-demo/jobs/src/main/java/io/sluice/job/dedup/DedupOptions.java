/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OnConflict;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.WindowedOptions;
import io.sluice.flink.dedup.Deduplicate;
import io.sluice.flink.dedup.DeduplicateOptions;
import io.sluice.flink.dedup.Keep;
import io.sluice.job.FilterArguments;
import io.sluice.job.JobArguments;
import io.sluice.job.JobSummary;
import io.sluice.job.OperatorArguments;
import io.sluice.job.OutputRetention;
import io.sluice.job.dedup.ActionArguments.OnDuplicate;
import io.sluice.job.dedup.ActionArguments.OnLate;
import io.sluice.job.dedup.TopicArguments.Partitioning;
import io.sluice.job.message.MessageArguments;
import io.sluice.job.message.MessageJobOptions;
import io.sluice.job.reconcile.AgreementArguments;
import io.sluice.message.KafkaMessage;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.connector.base.DeliveryGuarantee;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The options of {@link DedupJob}, the same for {@code flink run}, for {@code sluice job dedup} and
 * for programs. After {@link #check()} they do not change.
 */
@Command(sortOptions = false)
public final class DedupOptions extends MessageJobOptions {
    public static final String OUTPUT_TOPIC = TopicArguments.OUTPUT_TOPIC;
    public static final String ID = MessageArguments.ID;
    public static final String WITHIN = RuleArguments.WITHIN;
    public static final String FOREVER = RuleArguments.FOREVER;
    public static final String TIME = MessageArguments.TIME;
    public static final String DEAD_LETTER_TOPIC = TopicArguments.DEAD_LETTER_TOPIC;
    public static final String FPP = FilterArguments.FPP;

    static final String DELIVERY = "--delivery";

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

    @Mixin ActionArguments actions = new ActionArguments();

    @Mixin TopicArguments topics = new TopicArguments(input);

    @Mixin final AgreementArguments agreement = new AgreementArguments();

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
        messages.check(actions.contentFields());
        if (operator.isGiven(WindowedOptions.WITHIN) == isForever()) {
            throw new IllegalArgumentException(
                    "give either "
                            + WITHIN
                            + " DURATION, how long an id is remembered, or "
                            + FOREVER);
        }
        requirePast(from());
        DedupConflicts.check(this);
        operator.check(this::checkOperator);
        checkAgreement();
    }

    private void checkAgreement() {
        String otherwise = null;
        if (isForever()) {
            otherwise =
                    FOREVER
                            + " exclude each other: the replicas compare windows of event time, of"
                            + " which "
                            + FOREVER
                            + " has none";
        } else if (isProcessingTime()) {
            otherwise =
                    TIME
                            + " processing exclude each other: the replicas compare windows of"
                            + " event time";
        } else if (keepsLast()) {
            otherwise =
                    "--keep last exclude each other: the last record may be the other"
                            + " replica's, which this one does not have";
        } else if (operator.get(DeduplicateOptions.LIMIT) > 1) {
            otherwise =
                    "--limit exclude each other: an id that the other replica has does not say how"
                            + " often";
        }
        agreement.check(this, otherwise, isForever() ? null : window());
    }

    @Override
    public List<String> prepare(boolean continues) throws IOException {
        List<String> warnings = super.prepare(continues);
        agreement.prepare(this);
        return warnings;
    }

    private void checkOperator(ReadableConfig options) {
        Deduplicate<KafkaMessage, String> deduplicate =
                Deduplicate.by(KafkaMessage::id)
                        .configure(options)
                        .timeDomain(isProcessingTime() ? TimeDomain.PROCESSING : TimeDomain.EVENT);
        if (isOnDisk()) {
            deduplicate.onDisk();
        }
        if (actions.onConflict != null) {
            deduplicate.onConflict(OnConflict.count(KafkaMessage::value));
        }
        deduplicate.check();
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

    /** Where the records begin that a new job writes. */
    From from() {
        return topics.from;
    }

    /** The timestamp of a record of Kafka of that time. */
    long timestampOf(Instant instant) {
        return messages.isKafkasTime()
                ? messages.timeFormat.unit().ofMillis(instant.toEpochMilli())
                : instant.toEpochMilli();
    }

    /** Whether a run without state may write records that an earlier one has written. */
    public boolean mayWriteAgain() {
        return !topics.seenFromOutput && (from().isEarliest() || from().kind() == From.Kind.TIME);
    }

    /** Whether a part of what is read is only remembered. */
    boolean fillsFirst() {
        return topics.seenFromOutput || !from().isEarliest();
    }

    @Override
    protected List<String> beforeTheFirst() throws IOException {
        List<String> warnings = new ArrayList<>();
        if (topics.seenFromOutput) {
            SeenOutput.require(this);
            warnings.addAll(SeenOutput.warnings(this));
        }
        if (from().isEarliest()) {
            warnings.addAll(super.beforeTheFirst());
            return warnings;
        }
        warnings.addAll(StartingOffsets.warnings(this));
        warnings.addAll(
                OutputRetention.warnings(this, StartingOffsets.backlog(this), from().time()));
        return warnings;
    }

    /** Of the filters. Not to be asked for with {@link #FOREVER}. */
    WindowSettings settings() {
        return WindowSettings.of(operator.options(), window())
                .withContents(actions.onConflict != null);
    }

    /** Whether no id is forgotten. */
    boolean isForever() {
        return operator.get(DeduplicateOptions.FOREVER);
    }

    /** Whether ids are in filters on the local disk. */
    boolean isOnDisk() {
        return isForever() || operator.get(DeduplicateOptions.ON_DISK);
    }

    /** Whether the last record of an id passes. */
    boolean keepsLast() {
        return operator.get(DeduplicateOptions.KEEP) == Keep.LAST;
    }

    @Override
    public boolean isProcessingTime() {
        return isForever() || super.isProcessingTime();
    }

    @Override
    protected List<String> namedTopics() {
        List<String> named = super.namedTopics();
        topics.requireOutput();
        return named;
    }

    @Override
    protected Map<String, String> optionsOfTheState() {
        Map<String, String> options = messages.ofTheState();
        options.put(TopicArguments.FROM, from().toString());
        options.put(DELIVERY, delivery.toString());
        if (actions.onConflict != null) {
            options.put(ActionArguments.CONTENT, MessageArguments.text(actions.contentFields()));
        }
        return options;
    }

    /** Not to be asked for with {@link #FOREVER}, which has no event time. */
    @Override
    public Duration window() {
        return requireNonNull(operator.get(WindowedOptions.WITHIN), WITHIN);
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
    public boolean writesInTransactions() {
        return delivery == DeliveryGuarantee.EXACTLY_ONCE;
    }

    /** Whether late records are written to their own topic. */
    boolean hasLateTopic() {
        return actions.onLate == OnLate.TOPIC && !isForever();
    }

    @Override
    public Set<String> topicsLikeTheInput() {
        return topics.likeTheInput(
                actions.onDuplicate == OnDuplicate.TOPIC,
                actions.hasConflictsTopic(),
                hasLateTopic());
    }

    @Override
    public boolean keepsPartitions() {
        return topics.partitioning == Partitioning.KEEP;
    }

    @Override
    public Set<String> compactedTopics() {
        return Set.of();
    }

    /** A summary is found by its key, so the last of each id is of use too. */
    @Override
    public Set<String> topicsThatMayBeCompacted() {
        return topics.summaryTopic == null ? Set.of() : Set.of(topics.summaryTopic);
    }

    @Override
    public String deadLetters() {
        return topics.deadLetters();
    }

    @Override
    public Map<String, String> outputTopics() {
        Map<String, String> all = new LinkedHashMap<>();
        topics.putOutputs(
                all,
                actions.onDuplicate == OnDuplicate.TOPIC,
                actions.hasConflictsTopic(),
                hasLateTopic());
        all.putAll(agreement.topics(this));
        return all;
    }

    @Override
    public int mostSubtasks() {
        return agreement.mostSubtasks();
    }

    @Override
    public MemorySize heapOfASubtask() {
        // The filters of the cascade are not on the heap.
        return isOnDisk() ? MemorySize.ZERO : operator.get(WindowedOptions.MEMORY);
    }

    @Override
    public JobSummary outcome() {
        return DedupSummary.of(this);
    }
}
