/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Option;

/**
 * The options of jobs that read topics and write several others: for {@code flink run}, for {@code
 * sluice job}, and for programs. After {@link #check()} they do not change.
 */
public abstract class KafkaJobOptions extends JobArguments {
    public static final String BOUNDED = "--bounded";
    public static final String TRANSACTIONAL_ID_PREFIX = "--transactional-id-prefix";

    @Option(
            names = BOUNDED,
            description = "Stop at the present end of the input instead of running for ever.")
    public boolean bounded;

    @Option(
            names = TRANSACTIONAL_ID_PREFIX,
            paramLabel = "PREFIX",
            description =
                    "Prefix of the names of the Kafka transactions; unique among the jobs on a"
                            + " broker, the same across restarts of one job. Default: the consumer"
                            + " group and the output topic, 'GROUP/TOPIC'.")
    String transactionalIdPrefix;

    public KafkaJobOptions() {}

    /** Every topic of the job by its option; the inputs are first. */
    protected abstract Map<String, String> topics();

    /** The output topics where only the last record of each key matters. */
    protected abstract Set<String> compactedTopics();

    /**
     * The output topics of records that pass unchanged. They are created with the retention and the
     * limits of the first input topic, since the records fit those.
     */
    protected Set<String> topicsLikeTheInput() {
        return Set.of();
    }

    /** Whether records of {@link #topicsLikeTheInput} keep the number of their partition. */
    protected boolean keepsPartitions() {
        return false;
    }

    /** Name and uid of the source, as metrics know it. */
    public String source() {
        return KafkaEnds.PACKETS;
    }

    /** Consumer group that offsets are committed for. */
    public abstract String group();

    /** The topic of the job's main results. */
    protected abstract String outputTopic();

    /**
     * Prefix of the names of the Kafka transactions. Two jobs with the same prefix would keep
     * ending each other's transactions, so the default is made from what distinguishes jobs.
     */
    public final String transactionalIdPrefix() {
        return transactionalIdPrefix == null
                ? transactionalIdPrefix(group(), outputTopic())
                : transactionalIdPrefix;
    }

    /** Topics have no slash, so no two pairs have the same prefix. */
    public static String transactionalIdPrefix(String group, String outputTopic) {
        return group + '/' + outputTopic;
    }

    /** Whether records are visible with their checkpoint, and so the user needs that right. */
    protected boolean writesInTransactions() {
        return true;
    }

    /** What to print at the end of the job. */
    public abstract JobSummary outcome();

    /** Checks the options of one kind of job. */
    protected abstract void checkOwn();

    @Override
    public final void check() {
        Set<String> seen = new LinkedHashSet<>();
        topics().forEach(
                        (option, topic) -> {
                            if (topic.isBlank()) {
                                throw new IllegalArgumentException(
                                        option + " must name a topic, but is blank");
                            }
                            if (!seen.add(topic)) {
                                throw new IllegalArgumentException(
                                        option
                                                + " must differ from the other topics, but '"
                                                + topic
                                                + "' is used twice: give each its own");
                            }
                        });
        super.check();
        checkOwn();
    }

    /** Whether the job ends by itself. */
    public final boolean isBounded() {
        return bounded;
    }
}
