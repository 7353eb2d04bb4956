/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.identity;

import static java.util.Objects.requireNonNull;

import io.sluice.kafka.Brokers;
import io.sluice.kafka.InputTopics;
import java.io.IOException;
import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;

/**
 * What the state of a job belongs to: the topics, which Kafka knows by ids of their own, and the
 * options that say what is made of a record.
 */
public final class SourceIdentity implements Serializable {
    private static final long serialVersionUID = 1L;

    private final Brokers brokers;
    private final InputTopics topics;
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
            InputTopics topics,
            Map<String, String> options,
            boolean acceptsNewTopics) {
        this.brokers = requireNonNull(brokers, "brokers");
        this.topics = requireNonNull(topics, "topics");
        this.options = new TreeMap<>(options);
        this.acceptsNewTopics = acceptsNewTopics;
    }

    InputTopics topics() {
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
        return topics.present(brokers);
    }
}
