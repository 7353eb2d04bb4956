/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Waits until a new topic takes records, which is a little after its creation. Until then a
 * partition may refuse a producer's first batch and accept the second; after that it refuses the
 * first as out of sequence, until the producer gives up on it.
 */
public final class TopicLeaders {
    private static final long PAUSE_MILLIS = 20;

    private TopicLeaders() {}

    /**
     * Waits until each partition of a topic has a leader that takes records.
     *
     * @param timeout after which a still unknown topic is an error
     * @throws ExecutionException with the broker's error as the cause
     */
    public static void await(Admin admin, String topic, int partitions, Duration timeout)
            throws InterruptedException, ExecutionException {
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            asked.put(new TopicPartition(topic, partition), OffsetSpec.latest());
        }
        long start = System.nanoTime();
        while (true) {
            try {
                // Only a leader answers, and the client asks until there is one, unless the broker
                // does not know the topic.
                admin.listOffsets(asked).all().get();
                return;
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException)
                        || System.nanoTime() - start > timeout.toNanos()) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        }
    }
}
