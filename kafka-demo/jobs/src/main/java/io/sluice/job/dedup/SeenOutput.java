/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import io.sluice.kafka.BrokerProblem;
import io.sluice.kafka.Brokers;
import io.sluice.kafka.TopicLimits;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
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

/** The output topic as that which says what was written by a run whose state is lost. */
final class SeenOutput {
    private SeenOutput() {}

    /**
     * Asks where the partitions of the output end now. Transactions that are open there count: a
     * later one may be committed already, so whoever reads to this end has to wait for them.
     *
     * @throws IOException if the broker does not answer, or lacks the topic
     */
    static Map<TopicPartition, Long> ends(DedupOptions options) throws IOException {
        String topic = options.outputTopic();
        return ask(
                options.brokers(),
                admin -> {
                    TopicDescription description =
                            admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
                    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
                    for (TopicPartitionInfo partition : description.partitions()) {
                        asked.put(
                                new TopicPartition(topic, partition.partition()),
                                OffsetSpec.latest());
                    }
                    Map<TopicPartition, Long> ends = new HashMap<>();
                    for (Map.Entry<TopicPartition, ListOffsetsResultInfo> end :
                            admin.listOffsets(asked).all().get().entrySet()) {
                        ends.put(end.getKey(), end.getValue().offset());
                    }
                    return ends;
                });
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
