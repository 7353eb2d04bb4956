/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.message;

import io.sluice.kafka.BrokerProblem;
import io.sluice.kafka.Brokers;
import io.sluice.kafka.TopicLimits;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthorizationException;

/** Finds output topics in which the broker replaces the timestamps of records that pass. */
final class ArrivalTimes {
    private ArrivalTimes() {}

    /**
     * Returns a warning for each topic of records that pass unchanged in which they get the time of
     * their arrival. Returns none if the broker does not let the user know. The topics must exist.
     *
     * @throws IOException if the broker does not answer
     */
    static List<String> warnings(MessageJobOptions options) throws IOException {
        Brokers asked = options.outputBrokers();
        try (Admin admin = asked.admin(Brokers.TIMEOUT)) {
            return TopicLimits.ofArrival(admin, options.topicsLikeTheInput()).stream()
                    .map(ArrivalTimes::warning)
                    .toList();
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

    private static String warning(String topic) {
        return "topic '"
                + topic
                + "' gives records the time of their arrival in place of their own: set its"
                + " message.timestamp.type to CreateTime to keep theirs";
    }
}
