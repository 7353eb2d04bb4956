/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens at Ctrl+C or SIGTERM: a run is asked to stop, and the process ends when the run has
 * stopped and tidied up. A run that does not stop in time is left where it is.
 */
final class StopOnInterrupt {
    private static final Logger LOG = LoggerFactory.getLogger(StopOnInterrupt.class);

    private static final Duration LIMIT = Duration.ofSeconds(90);

    private StopOnInterrupt() {}

    /** A run. */
    interface Run {
        /** Returns the exit code when everything is tidied up. */
        int call() throws IOException;
    }

    /**
     * Runs {@code run} on this thread.
     *
     * @param stop asks it to end, and may wait for that; called at most once, on another thread
     */
    static int run(Runnable stop, Run run) throws IOException {
        CountDownLatch ended = new CountDownLatch(1);
        Thread hook = new Thread(() -> stopAndWait(stop, ended), "sluice-stop");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            return run.call();
        } finally {
            ended.countDown();
            remove(hook);
        }
    }

    private static void remove(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            LOG.debug("The process is ending already", e);
        }
    }

    private static void stopAndWait(Runnable stop, CountDownLatch ended) {
        stop.run();
        try {
            if (!ended.await(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                LOG.warn("The run has not stopped within {} s", LIMIT.toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
