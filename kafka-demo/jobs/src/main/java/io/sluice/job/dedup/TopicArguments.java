/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import io.sluice.job.JobArguments;
import io.sluice.kafka.Brokers;
import io.sluice.kafka.InputTopics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import javax.annotation.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that say where records are read and written. */
final class TopicArguments {
    static final String INPUT_TOPIC_PATTERN = "--input-topic-pattern";
    static final String OUTPUT_TOPIC = "--output-topic";
    static final String DUPLICATES_TOPIC = "--duplicates-topic";
    static final String CONFLICTS_TOPIC = "--conflicts-topic";
    static final String LATE_TOPIC = "--late-topic";
    static final String SUMMARY_TOPIC = "--summary-topic";
    static final String DEAD_LETTER_TOPIC = "--dead-letter-topic";
    static final String FROM = "--from";
    static final String SEEN_FROM_OUTPUT = "--seen-from-output";

    /** Which partition a record is written to. */
    enum Partitioning {
        /** The one with the number that it came from. */
        KEEP,
        /** The one that Kafka's producer chooses by the record's key. */
        KEY
    }

    @Option(
            names = JobArguments.INPUT_TOPIC,
            split = ",",
            paramLabel = "TOPIC,...",
            description = "Topics to read; their records are deduplicated together.")
    private List<String> inputs = List.of();

    @Option(
            names = INPUT_TOPIC_PATTERN,
            converter = OfPattern.class,
            paramLabel = "REGEX",
            description =
                    "In place of --input-topic: every topic whose whole name matches this regular"
                            + " expression of Java, also one that is made while the job runs, which"
                            + " is read from its beginning. No topic that the job writes may"
                            + " match. Needs --output-topic.")
    private @Nullable Pattern inputPattern;

    /** Those that match; null until the broker was asked. */
    private @Nullable List<String> matching;

    @Option(
            names = FROM,
            defaultValue = "earliest",
            converter = From.Converter.class,
            paramLabel = "BEGINNING",
            description =
                    "The first records that are written: 'earliest', 'latest' for what comes after"
                            + " the start, 'group-offsets' for where --group is, or a time like"
                            + " 2025-04-25T09:44:25Z for the first of each partition with that"
                            + " timestamp of Kafka's or a later one. What is before them is read"
                            + " and remembered, so that later duplicates of it are dropped. A"
                            + " restored job goes on where it was. Default: ${DEFAULT-VALUE}.")
    From from;

    @Option(
            names = SEEN_FROM_OUTPUT,
            description =
                    "For a run whose state is lost: read the output topic first, and remember its"
                            + " ids, so that nothing is written that is there already. A restored"
                            + " job goes on where it was.")
    boolean seenFromOutput;

    @Option(
            names = OUTPUT_TOPIC,
            paramLabel = "TOPIC",
            description =
                    "Topic for the records whose id is new. Default: the first input topic,"
                            + " followed by '-deduplicated'.")
    private @Nullable String outputTopic;

    @Option(
            names = DUPLICATES_TOPIC,
            paramLabel = "TOPIC",
            description =
                    "Topic of --on-duplicate topic. Default: the output topic, followed by"
                            + " '-duplicates'.")
    private @Nullable String duplicatesTopic;

    @Option(
            names = CONFLICTS_TOPIC,
            paramLabel = "TOPIC",
            description =
                    "Topic of --on-conflict topic. Default: the output topic, followed by"
                            + " '-conflicts'.")
    private @Nullable String conflictsTopic;

    @Option(
            names = LATE_TOPIC,
            paramLabel = "TOPIC",
            description =
                    "Topic of --on-late topic. Default: the output topic, followed by '-late'.")
    private @Nullable String lateTopic;

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
    private @Nullable String deadLetterTopic;

    @Option(
            names = "--partitioning",
            defaultValue = "keep",
            paramLabel = "HOW",
            description =
                    "Where a record is written: 'keep' for the partition with the number that it"
                        + " came from, 'key' for the one that Kafka chooses by its key. Default:"
                        + " ${DEFAULT-VALUE}.")
    Partitioning partitioning;

    @Option(
            names = "--group",
            paramLabel = "ID",
            description =
                    "Consumer group that offsets are committed for. Default: 'sluice-dedup-',"
                            + " followed by the output topic.")
    private @Nullable String group;

    /** A regular expression. */
    static final class OfPattern implements ITypeConverter<Pattern> {
        @Override
        public Pattern convert(String text) {
            try {
                return Pattern.compile(text);
            } catch (PatternSyntaxException e) {
                throw new TypeConversionException(
                        "'"
                                + text
                                + "' is not a regular expression ("
                                + e.getDescription()
                                + "): correct it, such as 'orders-.*'");
            }
        }
    }

    /**
     * The input topics that are named; none where there is a pattern.
     *
     * @throws IllegalArgumentException if there is neither or both, or no output for a pattern
     */
    List<String> named() {
        if (inputs.isEmpty() == (inputPattern == null)) {
            throw new IllegalArgumentException(
                    "give either "
                            + JobArguments.INPUT_TOPIC
                            + " TOPIC or "
                            + INPUT_TOPIC_PATTERN
                            + " REGEX, what to read");
        }
        if (inputPattern != null && outputTopic == null) {
            throw new IllegalArgumentException(
                    INPUT_TOPIC_PATTERN
                            + " needs "
                            + OUTPUT_TOPIC
                            + ", since there is no first input topic to name it after: give it");
        }
        return inputs;
    }

    InputTopics toRead() {
        return inputPattern == null
                ? InputTopics.named(inputs)
                : InputTopics.matching(inputPattern);
    }

    /** The topics to read that are there when this is first asked. */
    List<String> present(Brokers brokers) {
        if (inputPattern == null) {
            return inputs;
        }
        if (matching == null) {
            try {
                matching = toRead().present(brokers).keySet().stream().sorted().toList();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return matching;
    }

    /** Makes sure that no topic that is written is one to read. */
    void requireUnread(Map<String, String> outputs) {
        outputs.forEach(
                (option, topic) -> {
                    if (inputPattern != null && toRead().contains(topic)) {
                        throw new IllegalArgumentException(
                                option
                                        + " must not match "
                                        + INPUT_TOPIC_PATTERN
                                        + " '"
                                        + inputPattern
                                        + "', or the job would read what it writes, but is '"
                                        + topic
                                        + "': name another, or narrow the pattern");
                    }
                });
    }

    String group() {
        return group == null ? "sluice-dedup-" + output() : group;
    }

    String output() {
        return outputTopic == null ? inputs.get(0) + "-deduplicated" : outputTopic;
    }

    String duplicates() {
        return duplicatesTopic == null ? output() + "-duplicates" : duplicatesTopic;
    }

    String conflicts() {
        return conflictsTopic == null ? output() + "-conflicts" : conflictsTopic;
    }

    String late() {
        return lateTopic == null ? output() + "-late" : lateTopic;
    }

    String deadLetters() {
        return deadLetterTopic == null ? output() + "-dead-letters" : deadLetterTopic;
    }

    /** The topics of records that are written as they were read. */
    Set<String> likeTheInput(boolean hasDuplicates, boolean hasConflicts, boolean hasLate) {
        Set<String> topics = new LinkedHashSet<>();
        topics.add(output());
        if (hasDuplicates) {
            topics.add(duplicates());
        }
        if (hasConflicts) {
            topics.add(conflicts());
        }
        if (hasLate) {
            topics.add(late());
        }
        return topics;
    }

    /** Adds every topic that is written, by its option. */
    void putOutputs(
            Map<String, String> topics,
            boolean hasDuplicates,
            boolean hasConflicts,
            boolean hasLate) {
        topics.put(OUTPUT_TOPIC, output());
        if (hasDuplicates) {
            topics.put(DUPLICATES_TOPIC, duplicates());
        }
        if (hasConflicts) {
            topics.put(CONFLICTS_TOPIC, conflicts());
        }
        if (hasLate) {
            topics.put(LATE_TOPIC, late());
        }
        if (summaryTopic != null) {
            topics.put(SUMMARY_TOPIC, summaryTopic);
        }
        topics.put(DEAD_LETTER_TOPIC, deadLetters());
    }
}
