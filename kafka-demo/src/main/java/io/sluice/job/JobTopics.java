/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import java.io.IOException;
import java.time.Duration;
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
 * What must be so on the broker before a job starts, checked where a clear message can still be
 * given: a source that finds no broker only retries, and a sink that finds no topic only fails.
 */
public final class JobTopics {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private JobTopics() {}

    /**
     * Makes sure that the broker answers and the input topic exists, and creates missing output
     * topics with as many partitions as the input; topics of counters are compacted.
     *
     * @throws IOException if the broker does not answer, the input topic is missing or an output
     *     topic cannot be created
     */
    public static void prepare(CountersOptions options) throws IOException {
        String servers = options.bootstrapServers;
        try (Admin admin =
                Admin.create(
                        Map.of(
                                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                                servers,
                                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                                Long.toString(TIMEOUT.toMillis() / 2),
                                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                                Long.toString(TIMEOUT.toMillis())))) {
            Set<String> present = admin.listTopics().names().get();
            if (!present.contains(options.inputTopic)) {
                throw new IOException(
                        "topic '"
                                + options.inputTopic
                                + "' does not exist on "
                                + servers
                                + ": replay a capture into it first, or correct --input-topic");
            }
            int partitions =
                    admin.describeTopics(List.of(options.inputTopic))
                            .allTopicNames()
                            .get()
                            .get(options.inputTopic)
                            .partitions()
                            .size();
            for (Map.Entry<String, String> topic : options.topics().entrySet()) {
                if (!present.contains(topic.getValue())) {
                    create(admin, options, topic.getValue(), partitions);
                }
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TimeoutException) {
                throw new IOException(
                        "no Kafka broker answers at "
                                + servers
                                + ": start it, or correct --bootstrap-servers",
                        e);
            }
            throw new IOException(
                    "the Kafka broker at " + servers + " refused: " + e.getCause().getMessage(), e);
        } catch (KafkaException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IOException(
                    "cannot use --bootstrap-servers '" + servers + "': " + cause.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while asking the broker at " + servers, e);
        }
    }

    private static void create(Admin admin, CountersOptions options, String topic, int partitions)
            throws InterruptedException, ExecutionException {
        boolean upserts = topic.equals(options.outputTopic) || topic.equals(options.compareTopic);
        NewTopic created =
                new NewTopic(topic, Optional.of(partitions), Optional.empty())
                        .configs(
                                Map.of(
                                        TopicConfig.CLEANUP_POLICY_CONFIG,
                                        upserts
                                                ? TopicConfig.CLEANUP_POLICY_COMPACT
                                                : TopicConfig.CLEANUP_POLICY_DELETE));
        try {
            admin.createTopics(List.of(created)).all().get();
        } catch (ExecutionException e) {
            // Another job may have been faster.
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw e;
            }
        }
    }
}
