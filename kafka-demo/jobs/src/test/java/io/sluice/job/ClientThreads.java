/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

/**
 * Threads of Kafka's clients and of those who use them, by which a client that stays is noticed.
 */
final class ClientThreads {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private static final List<String> NAMES =
            List.of(
                    "kafka-admin-client-thread",
                    "kafka-producer-network-thread",
                    "kafka-coordinator-heartbeat-thread",
                    "Source Data Fetcher",
                    "sluice-partition-ends");

    private ClientThreads() {}

    static List<Thread> running() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> NAMES.stream().anyMatch(thread.getName()::startsWith))
                .toList();
    }

    /** A client's thread ends a moment after the client is closed. */
    static void awaitNoneBut(List<Thread> before) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!before.containsAll(running()) && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertThat(before).containsAll(running());
    }
}
