/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka;

import static java.util.stream.Collectors.toMap;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;
import javax.annotation.Nullable;
import org.apache.flink.connector.kafka.source.enumerator.subscriber.KafkaSubscriber;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.TopicListing;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** The topics that a job reads: those with given names, or all whose name matches a pattern. */
public final class InputTopics implements Serializable {
    private static final long serialVersionUID = 1L;

    private final ArrayList<String> names;
    private final @Nullable Pattern pattern;

    /** What the options say. */
    private final String text;

    private InputTopics(List<String> names, @Nullable Pattern pattern, String text) {
        this.names = new ArrayList<>(names);
        this.pattern = pattern;
        this.text = text;
    }

    /** The topics with these names. */
    public static InputTopics named(List<String> names) {
        return new InputTopics(names, null, "--input-topic names " + names);
    }

    /** The topics whose whole name matches, whenever they are made. */
    public static InputTopics matching(Pattern pattern) {
        return new InputTopics(List.of(), pattern, "--input-topic-pattern is '" + pattern + "'");
    }

    /** These topics and one more. */
    public InputTopics and(String topic) {
        List<String> more = new ArrayList<>(names);
        more.add(topic);
        return new InputTopics(
                more,
                pattern == null
                        ? null
                        : Pattern.compile(
                                "(?:" + pattern + ")|" + Pattern.quote(topic), pattern.flags()),
                text);
    }

    /** Whether a topic of this name is read. */
    public boolean contains(String topic) {
        return pattern == null ? names.contains(topic) : pattern.matcher(topic).matches();
    }

    /** Finds the partitions for the connector. */
    public KafkaSubscriber subscriber() {
        return pattern == null
                ? KafkaSubscriber.getTopicListSubscriber(names)
                : KafkaSubscriber.getTopicPatternSubscriber(pattern);
    }

    /**
     * Asks the broker for the topics that exist now, and for their ids.
     *
     * @throws IOException if it does not answer
     */
    public Map<String, Uuid> present(Brokers brokers) throws IOException {
        try (Admin admin = brokers.admin(Brokers.TIMEOUT)) {
            return pattern == null ? described(admin) : listed(admin);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while asking for the ids of topics", e);
        } catch (ExecutionException | KafkaException e) {
            throw new IOException(BrokerProblem.describe(brokers, e), BrokerProblem.cause(e));
        }
    }

    private Map<String, Uuid> listed(Admin admin) throws InterruptedException, ExecutionException {
        return admin.listTopics().listings().get().stream()
                .filter(topic -> contains(topic.name()))
                .collect(toMap(TopicListing::name, TopicListing::topicId));
    }

    private Map<String, Uuid> described(Admin admin)
            throws InterruptedException, ExecutionException {
        Map<String, Uuid> ids = new HashMap<>();
        for (KafkaFuture<TopicDescription> asked :
                admin.describeTopics(names).topicNameValues().values()) {
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
        return ids;
    }

    /** Says it as options do. */
    @Override
    public String toString() {
        return text;
    }
}
