/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for another thread. */
public final class Await {
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final long PAUSE_NANOS = 1_000_000;

    private Await() {}

    /** Polls until {@code condition} holds; fails if it does not within a minute. */
    public static void until(String what, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + DEADLINE.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not within " + DEADLINE + ": " + what);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
