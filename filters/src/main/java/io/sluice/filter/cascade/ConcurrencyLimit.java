/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Lets background work of one kind take turns in the whole process, so that it leaves processors to
 * the owners: the filters of a job's subtasks get equally many entries, and so have the same work
 * to do at the same moment. Half of the processors are given out.
 *
 * <p>A task waits for its turn for a limited time, then begins without one. Others may hold theirs
 * for long, as merges under a write limit do, and nothing may depend on them. Thread-safe.
 */
final class ConcurrencyLimit {

    private final Semaphore free;
    private final long patienceMillis;

    /**
     * @param most that work at a time
     */
    ConcurrencyLimit(int most, long patienceMillis) {
        this.free = new Semaphore(most, true);
        this.patienceMillis = patienceMillis;
    }

    /** For half of the processors. */
    static ConcurrencyLimit ofProcess(long patienceMillis) {
        return new ConcurrencyLimit(
                Math.max(1, Runtime.getRuntime().availableProcessors() / 2), patienceMillis);
    }

    /** Runs tasks on {@code threads}, each in its turn, for which its thread waits. */
    Executor taking(Executor threads) {
        return task -> threads.execute(() -> inTurn(task));
    }

    private void inTurn(Runnable task) {
        boolean taken = take();
        try {
            task.run();
        } finally {
            if (taken) {
                free.release();
            }
        }
    }

    /** An interrupt is meant for the task, which then begins at once. */
    private boolean take() {
        try {
            return free.tryAcquire(patienceMillis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
