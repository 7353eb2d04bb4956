/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import io.sluice.kafka.BrokerProblem;
import io.sluice.kafka.Brokers;
import io.sluice.kafka.TopicLeaders;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * The topic that a capture is replayed into. Its timestamps are the capture's, which may be years
 * ago: with Kafka's default retention the broker would delete such records on arrival.
 */
public final class ReplayTopic {
    private static final Map<String, String> CONFIG =
            Map.of(
                    TopicConfig.RETENTION_MS_CONFIG,
                    "-1",
                    TopicConfig.CLEANUP_POLICY_CONFIG,
                    TopicConfig.CLEANUP_POLICY_DELETE,
                    TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
                    "CreateTime",
                    TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG,
                    Long.toString(Long.MAX_VALUE),
                    TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG,
                    Long.toString(Long.MAX_VALUE));

    private ReplayTopic() {}

    /**
     * Creates the topic, with the broker's default replication, and waits until each partition
     * takes records. Returns false, and leaves it as it is, if it exists.
     *
     * @throws ReplayException if the broker does not answer within {@code timeout}, or refuses
     */
    public static boolean create(Brokers brokers, String topic, int partitions, Duration timeout)
            throws ReplayException {
        NewTopic newTopic =
                new NewTopic(topic, Optional.of(partitions), Optional.empty()).configs(CONFIG);
        try (Admin admin = open(brokers, timeout)) {
            Void unused = await(brokers, admin.createTopics(List.of(newTopic)).all());
            TopicLeaders.await(admin, topic, partitions, timeout);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ReplayException("interrupted while waiting for Kafka", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TopicExistsException) {
                return false;
            }
            throw new ReplayException(
                    "topic '" + topic + "' could not be created: " + e.getCause().getMessage(), e);
        }
    }

    /**
     * Checks that the broker answers and has the topic.
     *
     * @throws ReplayException if not
     */
    static void check(Brokers brokers, String topic, Duration timeout) throws ReplayException {
        try (Admin admin = open(brokers, timeout)) {
            Map<String, TopicDescription> unused =
                    await(brokers, admin.describeTopics(List.of(topic)).allTopicNames());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                throw new ReplayException(
                        "topic '"
                                + topic
                                + "' does not exist at "
                                + brokers
                                + ": create it, with retention.ms=-1 since its timestamps are the"
                                + " capture's",
                        e);
            }
            throw new ReplayException(
                    "topic '" + topic + "' cannot be used: " + e.getCause().getMessage(), e);
        }
    }

    /**
     * Identifies a topic independently of its broker's address: no other cluster, and no recreated
     * topic of the same name, has the same identity.
     *
     * @param clusterId Kafka's id of the cluster
     * @param topicId Kafka's id of the topic, or {@link #NO_TOPIC}
     */
    public record Identity(String clusterId, String topicId) {
        /** As {@link #topicId}: there is no topic of that name. */
        public static final String NO_TOPIC = "nothing";
    }

    /**
     * Asks the broker for the topic's identity.
     *
     * @throws ReplayException if the broker does not answer within {@code timeout}, or refuses
     */
    public static Identity identity(Brokers brokers, String topic, Duration timeout)
            throws ReplayException {
        try (Admin admin = open(brokers, timeout)) {
            String cluster = await(brokers, admin.describeCluster().clusterId());
            try {
                Map<String, TopicDescription> topics =
                        await(brokers, admin.describeTopics(List.of(topic)).allTopicNames());
                return new Identity(cluster, topics.get(topic).topicId().toString());
            } catch (ExecutionException e) {
                if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                    return new Identity(cluster, Identity.NO_TOPIC);
                }
                throw e;
            }
        } catch (ExecutionException e) {
            throw new ReplayException(
                    "topic '" + topic + "' cannot be used: " + e.getCause().getMessage(), e);
        }
    }

    private static Admin open(Brokers brokers, Duration timeout) throws ReplayException {
        try {
            return brokers.admin(timeout);
        } catch (KafkaException e) {
            throw new ReplayException(BrokerProblem.describe(brokers, e), BrokerProblem.cause(e));
        }
    }

    private static <T> T await(Brokers brokers, KafkaFuture<T> future)
            throws ReplayException, ExecutionException {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ReplayException("interrupted while waiting for Kafka", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException
                    || e.getCause() instanceof TopicExistsException) {
                throw e;
            }
            throw new ReplayException(BrokerProblem.describe(brokers, e), BrokerProblem.cause(e));
        }
    }
}
