/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import javax.annotation.Nullable;
import picocli.CommandLine.Option;

/** The options that say where records are written. */
final class TopicArguments {
    static final String OUTPUT_TOPIC = "--output-topic";
    static final String DUPLICATES_TOPIC = "--duplicates-topic";
    static final String LATE_TOPIC = "--late-topic";
    static final String SUMMARY_TOPIC = "--summary-topic";
    static final String DEAD_LETTER_TOPIC = "--dead-letter-topic";

    /** Which partition a record is written to. */
    enum Partitioning {
        /** The one with the number that it came from. */
        KEEP,
        /** The one that Kafka's producer chooses by the record's key. */
        KEY
    }

    @Option(
            names = OUTPUT_TOPIC,
            paramLabel = "TOPIC",
            description =
                    "Topic for the records whose id is new. Default: the first input topic,"
                            + " followed by '-deduplicated'.")
    @Nullable
    String outputTopic;

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
            names = "--partitioning",
            defaultValue = "keep",
            paramLabel = "HOW",
            description =
                    "Where a record is written: 'keep' for the partition with the number that it"
                        + " came from, 'key' for the one that Kafka chooses by its key. Default:"
                        + " ${DEFAULT-VALUE}.")
    Partitioning partitioning;
}
