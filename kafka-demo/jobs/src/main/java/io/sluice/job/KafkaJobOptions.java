/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.kafka.Brokers;
import io.sluice.kafka.InputTopics;
import io.sluice.kafka.OutputBrokerOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import javax.annotation.Nullable;
import org.apache.flink.configuration.MemorySize;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The options of jobs that read topics and write several others: for {@code flink run}, for {@code
 * sluice job}, and for programs. After {@link #check()} they do not change.
 */
public abstract class KafkaJobOptions extends JobArguments {
    public static final String BOUNDED = "--bounded";
    public static final String DISCOVERY_INTERVAL_OPTION = "--discovery-interval";
    public static final String TRANSACTIONAL_ID_PREFIX = "--transactional-id-prefix";

    private static final Pattern TOPIC = Pattern.compile("[a-zA-Z0-9._-]{1,249}");

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
    private @Nullable String transactionalIdPrefix;

    @Option(
            names = DISCOVERY_INTERVAL_OPTION,
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description =
                    "How often the broker is asked for new partitions of the input, and for new"
                            + " topics where it is a pattern. Default: 30 s.")
    @Nullable
    private Duration discoveryInterval;

    @Mixin private OutputBrokerOptions outputBrokerOptions = new OutputBrokerOptions();

    public KafkaJobOptions() {}

    /** Copies these options to {@code other}, a job that runs beside this one. */
    protected final void copyTo(KafkaJobOptions other) {
        super.copyTo(other);
        other.bounded = bounded;
        other.discoveryInterval = discoveryInterval;
        // With one prefix, each would keep ending the other's transactions.
        other.transactionalIdPrefix =
                transactionalIdPrefix == null ? null : transactionalIdPrefix + "-beside";
    }

    /** Returns how many subtasks the job may have at most. */
    public int mostSubtasks() {
        return Integer.MAX_VALUE;
    }

    /** Every topic that the job writes, by its option. */
    public abstract Map<String, String> outputTopics();

    /** The output topics where only the last record of each key matters. */
    public abstract Set<String> compactedTopics();

    /** Returns the output topics that are of use whether they are compacted or not. */
    public Set<String> topicsThatMayBeCompacted() {
        return Set.of();
    }

    /**
     * The output topics of records that pass unchanged. They are created with the retention and the
     * limits of the first input topic, since the records fit those.
     */
    public Set<String> topicsLikeTheInput() {
        return Set.of();
    }

    /** Whether records of {@link #topicsLikeTheInput} keep the number of their partition. */
    public boolean keepsPartitions() {
        return false;
    }

    /** The input topics that the options name, without those that the broker knows. */
    protected List<String> namedTopics() {
        return inputTopics();
    }

    @Override
    public final Duration discoveryInterval() {
        return discoveryInterval == null ? super.discoveryInterval() : discoveryInterval;
    }

    @Override
    public final Brokers outputBrokers() {
        return outputBrokerOptions.brokers(brokers());
    }

    /** Whether the job writes to the brokers that it reads from, as far as the options say. */
    public final boolean writesWhereItReads() {
        return outputBrokers().servers().equals(brokers().servers());
    }

    /** Name and uid of the source, as metrics know it. */
    public String source() {
        return KafkaEnds.PACKETS;
    }

    /** Consumer group that offsets are committed for. */
    public abstract String group();

    /** The topic of the job's main results. */
    public abstract String outputTopic();

    /** Returns whether those results are records that pass unchanged. */
    public final boolean isLikeTheInput() {
        return topicsLikeTheInput().contains(outputTopic());
    }

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

    /**
     * Makes sure that the job can start: the broker answers, and the topics are there. Returns what
     * its user should know before.
     *
     * @param continues whether the job has a state, so that it does not begin at the start of the
     *     input
     * @throws IOException if it cannot start, or would write nothing of use
     */
    public List<String> prepare(boolean continues) throws IOException {
        JobTopics.prepare(this);
        return List.of();
    }

    /** Whether records are visible with their checkpoint, and so the user needs that right. */
    public boolean writesInTransactions() {
        return true;
    }

    /** Returns the heap that the filters or tables of one subtask may take. */
    public abstract MemorySize heapOfASubtask();

    /** What to print at the end of the job. */
    public abstract JobSummary outcome();

    /** Checks the options of one kind of job. */
    protected abstract void checkOwn();

    @Override
    public final void check() {
        super.check();
        atLeast(DISCOVERY_INTERVAL_OPTION, discoveryInterval(), Duration.ofMillis(10));
        if (bounded && discoveryInterval != null) {
            throw new IllegalArgumentException(
                    DISCOVERY_INTERVAL_OPTION
                            + " has no effect with "
                            + BOUNDED
                            + ", which reads the partitions that are there at the start: leave it"
                            + " out");
        }
        Map<String, String> inputs = new LinkedHashMap<>();
        for (String topic : namedTopics()) {
            inputs.put(
                    INPUT_TOPIC + (inputs.isEmpty() ? "" : " (" + (inputs.size() + 1) + ")"),
                    topic);
        }
        Set<String> seen = new HashSet<>();
        requireOwn(inputs, seen);
        requireOwn(outputTopics(), writesWhereItReads() ? seen : new HashSet<>());
        if (writesWhereItReads()) {
            requireUnread();
        }
        checkOwn();
    }

    /** A topic that is written must not match a pattern, or the job would read what it writes. */
    private void requireUnread() {
        InputTopics read = topicsToRead();
        outputTopics()
                .forEach(
                        (option, topic) -> {
                            if (read.contains(topic)) {
                                throw new IllegalArgumentException(
                                        option
                                                + " must not name a topic that is read, but is '"
                                                + topic
                                                + "', and "
                                                + read
                                                + ": name another, or narrow the pattern");
                            }
                        });
    }

    private static void requireOwn(Map<String, String> topics, Set<String> seen) {
        topics.forEach(
                (option, topic) -> {
                    if (topic.isBlank()) {
                        throw new IllegalArgumentException(
                                option + " must name a topic, but is blank");
                    }
                    if (!TOPIC.matcher(topic).matches()) {
                        throw new IllegalArgumentException(
                                option
                                        + " must be a name of at most 249 letters, digits, '.', '_'"
                                        + " and '-', as Kafka takes it, but is '"
                                        + topic
                                        + "' ("
                                        + topic.length()
                                        + " characters): name another");
                    }
                    if (!seen.add(topic)) {
                        throw new IllegalArgumentException(
                                option
                                        + " must differ from the other topics, but '"
                                        + topic
                                        + "' is used twice: give each its own");
                    }
                });
    }

    /** Whether the job ends by itself. */
    public final boolean isBounded() {
        return bounded;
    }
}
