/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import io.sluice.job.JobArguments;
import io.sluice.job.message.InputArguments;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;
import picocli.CommandLine.Option;

/** The options that say where records are read and written. */
final class TopicArguments {
    static final String OUTPUT_TOPIC = "--output-topic";
    static final String DUPLICATES_TOPIC = "--duplicates-topic";
    static final String CONFLICTS_TOPIC = "--conflicts-topic";
    static final String LATE_TOPIC = "--late-topic";
    static final String SUMMARY_TOPIC = "--summary-topic";
    static final String DEAD_LETTER_TOPIC = "--dead-letter-topic";
    static final String FROM = "--from";
    static final String SEEN_FROM_OUTPUT = "--seen-from-output";

    private final InputArguments input;

    /** Which partition a record is written to. */
    enum Partitioning {
        /** The one with the number that it came from. */
        KEEP,
        /** The one that Kafka's producer chooses by the record's key. */
        KEY
    }

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

    /** Options beside those of the input. */
    TopicArguments(InputArguments input) {
        this.input = input;
    }

    /**
     * Makes sure that there is a name for the output.
     *
     * @throws IllegalArgumentException if none is given, and there is no input topic to name it
     *     after
     */
    void requireOutput() {
        if (input.arePattern() && outputTopic == null) {
            throw new IllegalArgumentException(
                    JobArguments.INPUT_TOPIC_PATTERN
                            + " needs "
                            + OUTPUT_TOPIC
                            + ", since there is no first input topic to name it after: give it");
        }
    }

    String group() {
        return group == null ? "sluice-dedup-" + output() : group;
    }

    String output() {
        return outputTopic == null ? input.named().get(0) + "-deduplicated" : outputTopic;
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
