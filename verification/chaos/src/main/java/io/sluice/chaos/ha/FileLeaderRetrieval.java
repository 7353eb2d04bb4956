/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.ha;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.leaderretrieval.LeaderRetrievalDriver;
import org.apache.flink.runtime.leaderretrieval.LeaderRetrievalEventHandler;

/** Looks into the file again and again; the handler ignores what has not changed. */
final class FileLeaderRetrieval implements LeaderRetrievalDriver {
    private static final long INTERVAL_MILLIS = 100;

    private final ScheduledExecutorService looker =
            Executors.newSingleThreadScheduledExecutor(
                    task -> {
                        Thread thread = new Thread(task, "chaos-leader-retrieval");
                        thread.setDaemon(true);
                        return thread;
                    });

    FileLeaderRetrieval(LeaderFile file, LeaderRetrievalEventHandler handler) {
        var unused =
                looker.scheduleWithFixedDelay(
                        () -> {
                            try {
                                handler.notifyLeaderAddress(file.read());
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        },
                        0,
                        INTERVAL_MILLIS,
                        TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        looker.shutdownNow();
    }
}
