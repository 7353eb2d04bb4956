/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import io.sluice.filter.forgetful.ForgetfulFilter;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.dedup.SizingCheck;
import io.sluice.kafka.BrokerProblem;
import io.sluice.kafka.Brokers;
import io.sluice.kafka.TopicLimits;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.AuthorizationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The output topic as that which says what was written by a run whose state is lost. */
final class SeenOutput {
    private static final Logger LOG = LoggerFactory.getLogger(SeenOutput.class);

    private SeenOutput() {}

    /**
     * Asks where the partitions of the output end now. Transactions that are open there count: a
     * later one may be committed already, so whoever reads to this end has to wait for them.
     *
     * @throws IOException if the broker does not answer, or lacks the topic
     */
    static Map<TopicPartition, Long> ends(DedupOptions options) throws IOException {
        return ask(
                options.brokers(),
                admin -> offsets(admin, options.outputTopic(), OffsetSpec.latest()));
    }

    private static Map<TopicPartition, Long> offsets(Admin admin, String topic, OffsetSpec spec)
            throws InterruptedException, ExecutionException {
        TopicDescription description =
                admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        for (TopicPartitionInfo partition : description.partitions()) {
            asked.put(new TopicPartition(topic, partition.partition()), spec);
        }
        Map<TopicPartition, Long> offsets = new HashMap<>();
        for (Map.Entry<TopicPartition, ListOffsetsResultInfo> found :
                admin.listOffsets(asked).all().get().entrySet()) {
            offsets.put(found.getKey(), found.getValue().offset());
        }
        return offsets;
    }

    /**
     * Returns a warning if the filters may not hold the ids of the whole output, all of which they
     * get before event time begins. Ids on disk are not in memory.
     *
     * @throws IOException if the broker does not answer, or lacks the topic
     */
    static List<String> warnings(DedupOptions options) throws IOException {
        if (options.isOnDisk()) {
            return List.of();
        }
        String topic = options.outputTopic();
        long records =
                ask(
                        options.brokers(),
                        admin ->
                                sum(offsets(admin, topic, OffsetSpec.latest()))
                                        - sum(offsets(admin, topic, OffsetSpec.earliest())));
        if (records == 0) {
            return List.of();
        }
        WindowSettings settings = options.settings();
        long bytes = ForgetfulFilter.expectedBytes(settings.windowOptionsFor((double) records));
        long memory = settings.memory().getBytes();
        LOG.info(
                "Topic '{}' has at most {} records; their ids take about {} bytes in filters",
                topic,
                records,
                bytes);
        long subtasks = 1 + (bytes - 1) / memory;
        if (subtasks <= options.parallelism().orElse(1)) {
            return List.of();
        }
        return List.of(
                String.format(
                        Locale.ROOT,
                        "topic '%s' has at most %,d records, whose ids take about %s in filters,"
                                + " but a subtask has %s: with fewer than %,d subtasks the oldest"
                                + " are forgotten, and may be written again: raise --memory, or"
                                + " give --on-disk",
                        topic,
                        records,
                        SizingCheck.spokenBytes(bytes),
                        SizingCheck.spokenBytes(memory),
                        subtasks));
    }

    private static long sum(Map<TopicPartition, Long> offsets) {
        return offsets.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * Makes sure that the output tells all ids, and their times. It passes if the broker does not
     * let the user know.
     *
     * @throws IOException if it does not, or the broker does not answer
     */
    static void require(DedupOptions options) throws IOException {
        List<String> topic = List.of(options.outputTopic());
        String problem =
                ask(
                        options.brokers(),
                        admin -> {
                            try {
                                if (!TopicLimits.compacted(admin, topic).isEmpty()) {
                                    return "is compacted, so Kafka has deleted ids of it";
                                }
                                return options.messages.isKafkasTime()
                                                && !TopicLimits.ofArrival(admin, topic).isEmpty()
                                        ? "has the times of arrival (message.timestamp.type)"
                                                + " instead of those of the input"
                                        : null;
                            } catch (ExecutionException e) {
                                if (e.getCause() instanceof AuthorizationException) {
                                    return null;
                                }
                                throw e;
                            }
                        });
        if (problem != null) {
            throw new IOException(
                    TopicArguments.SEEN_FROM_OUTPUT
                            + " needs the records of the output as they were in the input, but"
                            + " topic '"
                            + options.outputTopic()
                            + "' "
                            + problem
                            + ": leave the option out, and write to another topic");
        }
    }

    /** Something that the broker can say. */
    private interface Question<T> {
        T ask(Admin admin) throws InterruptedException, ExecutionException;
    }

    private static <T> T ask(Brokers brokers, Question<T> question) throws IOException {
        try (Admin admin = brokers.admin(Brokers.TIMEOUT)) {
            return question.ask(admin);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while asking for the output topic", e);
        } catch (ExecutionException | KafkaException e) {
            throw new IOException(BrokerProblem.describe(brokers, e), BrokerProblem.cause(e));
        }
    }
}
