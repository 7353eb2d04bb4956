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
 * <p>Patience has an end: what has waited for so long begins without a turn. Others may hold theirs
 * for long, as merges below a write limit do, and nothing may depend on them. Thread-safe.
 */
final class Turns {

    private final Semaphore free;
    private final long patienceMillis;

    /**
     * @param most that work at a time
     */
    Turns(int most, long patienceMillis) {
        this.free = new Semaphore(most, true);
        this.patienceMillis = patienceMillis;
    }

    /** For half of the processors. */
    static Turns ofProcess(long patienceMillis) {
        return new Turns(
                Math.max(1, Runtime.getRuntime().availableProcessors() / 2), patienceMillis);
    }

    /** Does tasks as {@code threads} would, each in its turn, for which a thread waits. */
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

    /** An interrupt is for the task, which begins at once then. */
    private boolean take() {
        try {
            return free.tryAcquire(patienceMillis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
