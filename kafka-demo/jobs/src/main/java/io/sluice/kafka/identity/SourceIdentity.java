/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.identity;

import static java.util.Objects.requireNonNull;

import io.sluice.kafka.BrokerProblem;
import io.sluice.kafka.Brokers;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * What the state of a job belongs to: the topics, which Kafka knows by ids of their own, and the
 * options that say what is made of a record.
 */
public final class SourceIdentity implements Serializable {
    private static final long serialVersionUID = 1L;

    private final Brokers brokers;
    private final ArrayList<String> topics;
    private final TreeMap<String, String> options;
    private final boolean acceptsNewTopics;

    /**
     * @param topics the topics that the job reads
     * @param options the values of the options with which the state would not fit if they changed
     * @param acceptsNewTopics whether a topic that was made anew is read from its beginning; else
     *     it is refused
     */
    public SourceIdentity(
            Brokers brokers,
            List<String> topics,
            Map<String, String> options,
            boolean acceptsNewTopics) {
        this.brokers = requireNonNull(brokers, "brokers");
        this.topics = new ArrayList<>(topics);
        this.options = new TreeMap<>(options);
        this.acceptsNewTopics = acceptsNewTopics;
    }

    List<String> topics() {
        return topics;
    }

    Map<String, String> options() {
        return options;
    }

    boolean acceptsNewTopics() {
        return acceptsNewTopics;
    }

    /**
     * Asks the broker for the ids of the topics that exist.
     *
     * @throws IOException if it does not answer
     */
    public Map<String, Uuid> topicIds() throws IOException {
        Map<String, Uuid> ids = new HashMap<>();
        try (Admin admin = brokers.admin(Brokers.TIMEOUT)) {
            for (KafkaFuture<TopicDescription> asked :
                    admin.describeTopics(topics).topicNameValues().values()) {
                try {
                    TopicDescription topic = asked.get();
                    ids.put(topic.name(), topic.topicId());
                } catch (ExecutionException e) {
                    // The source waits for it.
                    if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                        throw e;
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while asking for the ids of topics", e);
        } catch (ExecutionException | KafkaException e) {
            throw new IOException(BrokerProblem.describe(brokers, e), BrokerProblem.cause(e));
        }
        return ids;
    }
}
