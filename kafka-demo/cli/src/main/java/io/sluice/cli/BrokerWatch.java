/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.kafka.Brokers;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.annotation.Nullable;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;

/**
 * Knows whether a broker answers, by asking every few seconds: a source without a broker just
 * retries, and looks like one whose topic has nothing new.
 */
final class BrokerWatch implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofSeconds(2);
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final Brokers brokers;
    private final Admin admin;
    private final ScheduledExecutorService asker =
            Executors.newSingleThreadScheduledExecutor(
                    task -> {
                        Thread thread = new Thread(task, "sluice-broker-watch");
                        thread.setDaemon(true);
                        return thread;
                    });
    private volatile boolean answers = true;

    BrokerWatch(Brokers brokers) {
        this.brokers = brokers;
        admin = brokers.admin(TIMEOUT);
    }

    /** Starts asking. */
    BrokerWatch start() {
        var unused =
                asker.scheduleWithFixedDelay(
                        () -> answers = ask(), 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        return this;
    }

    /** Asks once; false after the timeout. */
    boolean ask() {
        try {
            return !admin.describeCluster().nodes().get().isEmpty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return answers;
        } catch (ExecutionException | KafkaException e) {
            return false;
        }
    }

    /** The addresses where nobody answered the last question; null if somebody did. */
    @Nullable
    String silent() {
        return answers ? null : brokers.servers();
    }

    @Override
    public void close() {
        asker.shutdownNow();
        admin.close(Duration.ZERO);
    }
}
