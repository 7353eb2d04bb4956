/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.kafka.TopicLeaders;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicExistsException;

/**
 * Prepares the topics before a job starts, when a clear message is still possible: a source without
 * a broker just retries, and a sink without a topic just fails.
 */
public final class JobTopics {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private JobTopics() {}

    /**
     * Makes sure that the broker answers and the input topic exists, and creates missing output
     * topics with as many partitions as the input; topics of upserts are compacted.
     *
     * @throws IOException if the broker does not answer, the input topic is missing or an output
     *     topic cannot be created
     */
    public static void prepare(KafkaJobOptions options) throws IOException {
        prepare(
                options.bootstrapServers,
                options.inputTopic,
                options.topics().values(),
                options.compactedTopics());
    }

    /**
     * Makes sure that the broker answers and the input topic exists, and creates the others that
     * are missing.
     *
     * @param inputTopic determines the number of partitions
     * @param compacted output topics on which newer records replace older ones
     * @throws IOException if the broker does not answer, the input topic is missing or another one
     *     cannot be created
     */
    static void prepare(
            String servers, String inputTopic, Collection<String> topics, Set<String> compacted)
            throws IOException {
        try (Admin admin = admin(servers)) {
            Set<String> present = admin.listTopics().names().get();
            if (!present.contains(inputTopic)) {
                throw new IOException(
                        "topic '"
                                + inputTopic
                                + "' does not exist on "
                                + servers
                                + ": replay a capture into it first, or correct --input-topic");
            }
            int partitions =
                    admin.describeTopics(List.of(inputTopic))
                            .allTopicNames()
                            .get()
                            .get(inputTopic)
                            .partitions()
                            .size();
            for (String topic : topics) {
                if (!present.contains(topic)) {
                    create(admin, topic, partitions, compacted.contains(topic));
                }
            }
        } catch (ExecutionException | KafkaException | InterruptedException e) {
            throw explained(e, servers);
        }
    }

    /** Like {@link #prepare}, for topics without an input topic. */
    static void create(String servers, Collection<String> topics, int partitions)
            throws IOException {
        try (Admin admin = admin(servers)) {
            Set<String> present = admin.listTopics().names().get();
            for (String topic : topics) {
                if (!present.contains(topic)) {
                    create(admin, topic, partitions, false);
                }
            }
        } catch (ExecutionException | KafkaException | InterruptedException e) {
            throw explained(e, servers);
        }
    }

    static Admin admin(String servers) {
        return Admin.create(
                Map.of(
                        AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                        servers,
                        AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                        Long.toString(TIMEOUT.toMillis() / 2),
                        AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                        Long.toString(TIMEOUT.toMillis())));
    }

    private static IOException explained(Exception e, String servers) {
        if (e instanceof InterruptedException) {
            Thread.currentThread().interrupt();
            return new IOException("interrupted while asking the broker at " + servers, e);
        }
        if (e.getCause() instanceof TimeoutException) {
            return new IOException(
                    "no Kafka broker answers at "
                            + servers
                            + ": start it, or correct --bootstrap-servers",
                    e);
        }
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return e instanceof KafkaException
                ? new IOException(
                        "cannot use --bootstrap-servers '" + servers + "': " + cause.getMessage(),
                        e)
                : new IOException(
                        "the Kafka broker at " + servers + " refused: " + cause.getMessage(), e);
    }

    private static void create(Admin admin, String topic, int partitions, boolean compacted)
            throws InterruptedException, ExecutionException {
        NewTopic created =
                new NewTopic(topic, Optional.of(partitions), Optional.empty())
                        .configs(
                                Map.of(
                                        TopicConfig.CLEANUP_POLICY_CONFIG,
                                        compacted
                                                ? TopicConfig.CLEANUP_POLICY_COMPACT
                                                : TopicConfig.CLEANUP_POLICY_DELETE));
        try {
            admin.createTopics(List.of(created)).all().get();
            TopicLeaders.await(admin, topic, partitions, TIMEOUT);
        } catch (ExecutionException e) {
            // Another job may have created it in the meantime.
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw e;
            }
        }
    }
}
