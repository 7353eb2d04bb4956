/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.message;

import io.sluice.kafka.BrokerProblem;
import io.sluice.kafka.Brokers;
import io.sluice.kafka.TopicLimits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthorizationException;

/**
 * Finds topics that lose what is written there: they are compacted and should not be, or the other
 * way round; and inputs that delete keys although nothing is said about that.
 */
public final class CompactedTopics {
    private CompactedTopics() {}

    /**
     * A warning for each topic that keeps only the last record of a key, and is to have all: the
     * output of records as they came, unless every input is like that, and what is set aside; for
     * each topic of values that change that does not keep the last of each key; and for each input
     * that deletes keys, unless {@code --tombstones} is given. Empty if the broker does not let the
     * user know. The topics must exist.
     *
     * @throws IOException if the broker does not answer
     */
    public static List<String> warnings(MessageJobOptions options) throws IOException {
        Brokers asked = options.brokers();
        try {
            Set<String> inputs = compacted(asked, options.inputTopics());
            asked = options.outputBrokers();
            return warnings(options, inputs, compacted(asked, options.outputTopics().values()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while asking for the topics' configuration", e);
        } catch (ExecutionException | KafkaException e) {
            if (e.getCause() instanceof AuthorizationException) {
                return List.of();
            }
            throw new IOException(BrokerProblem.describe(asked, e), BrokerProblem.cause(e));
        }
    }

    private static Set<String> compacted(Brokers brokers, Collection<String> topics)
            throws InterruptedException, ExecutionException {
        try (Admin admin = brokers.admin(Brokers.TIMEOUT)) {
            return TopicLimits.compacted(admin, topics);
        }
    }

    private static List<String> warnings(
            MessageJobOptions options, Set<String> inputs, Set<String> outputs) {
        List<String> warnings = new ArrayList<>();
        if (options.readsMessages() && options.messages.unreadable.tombstones() == null) {
            inputs.forEach(topic -> warnings.add(tombstones(topic, options.isLikeTheInput())));
        }
        Set<String> either = new HashSet<>(options.topicsThatMayBeCompacted());
        if (inputs.containsAll(options.inputTopics()) && options.isLikeTheInput()) {
            either.add(options.outputTopic());
        }
        options.outputTopics()
                .forEach(
                        (option, topic) -> {
                            if (options.compactedTopics().contains(topic)) {
                                if (!outputs.contains(topic)) {
                                    warnings.add(notCompacted(topic));
                                }
                            } else if (outputs.contains(topic) && !either.contains(topic)) {
                                warnings.add(warning(option, topic));
                            }
                        });
        return warnings;
    }

    private static String tombstones(String topic, boolean passes) {
        return "topic '"
                + topic
                + "' is compacted, and a record without a value, which deletes its key, is judged"
                + " by its id like the others: say "
                + UnreadableArguments.TOMBSTONES
                + (passes
                        ? " forward to keep it behind the records of its key, or "
                                + UnreadableArguments.TOMBSTONES
                        : "")
                + " drop";
    }

    private static String warning(String option, String topic) {
        return "topic '"
                + topic
                + "' is compacted, so of records with one key it keeps the last only: name another"
                + " with "
                + option
                + ", or set its cleanup.policy to delete";
    }

    private static String notCompacted(String topic) {
        return "topic '"
                + topic
                + "' is not compacted, so Kafka deletes values that have not changed for its"
                + " retention.ms: set its cleanup.policy to compact";
    }
}
