/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import io.sluice.kafka.BrokerProblem;
import io.sluice.kafka.Brokers;
import io.sluice.kafka.TopicLimits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthorizationException;

/**
 * Finds topics of {@link DedupJob} that lose records because they are compacted, and inputs that
 * delete keys although nothing is said about that.
 */
public final class CompactedTopics {
    private CompactedTopics() {}

    /**
     * A warning for each topic that keeps only the last record of a key, and is to have all: the
     * output, unless every input is like that, and what is set aside; and for each input of that
     * kind, unless {@code --tombstones} is given. Empty if the broker does not let the user know.
     * The topics must exist.
     *
     * @throws IOException if the broker does not answer
     */
    public static List<String> warnings(DedupOptions options) throws IOException {
        List<String> warnings = new ArrayList<>();
        try (Admin admin = options.brokers().admin(Brokers.TIMEOUT)) {
            Set<String> compacted = TopicLimits.compacted(admin, options.topics().values());
            if (options.actions.tombstones == null) {
                options.inputTopics().stream()
                        .filter(compacted::contains)
                        .map(CompactedTopics::tombstones)
                        .forEach(warnings::add);
            }
            boolean likeInput = compacted.containsAll(options.inputTopics());
            options.topics()
                    .forEach(
                            (option, topic) -> {
                                if (compacted.contains(topic) && loses(option, likeInput)) {
                                    warnings.add(warning(option, topic));
                                }
                            });
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while asking for the topics' configuration", e);
        } catch (ExecutionException | KafkaException e) {
            if (!(e.getCause() instanceof AuthorizationException)) {
                throw new IOException(
                        BrokerProblem.describe(options.brokers(), e), BrokerProblem.cause(e));
            }
        }
        return warnings;
    }

    /** A summary is found by its key, so the last of each id is of use too. */
    private static boolean loses(String option, boolean likeInput) {
        return switch (option) {
            case DedupOptions.OUTPUT_TOPIC -> !likeInput;
            case TopicArguments.DUPLICATES_TOPIC,
                    TopicArguments.LATE_TOPIC,
                    DedupOptions.DEAD_LETTER_TOPIC ->
                    true;
            default -> false;
        };
    }

    private static String tombstones(String topic) {
        return "topic '"
                + topic
                + "' is compacted, and a record without a value, which deletes its key, is judged"
                + " by its id like the others: say "
                + ActionArguments.TOMBSTONES
                + " forward to keep it behind the records of its key, or "
                + ActionArguments.TOMBSTONES
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
}
