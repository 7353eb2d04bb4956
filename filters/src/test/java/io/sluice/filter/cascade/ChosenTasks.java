/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;

/**
 * Background work that is done when, and in the order that, a test's random numbers say: on the
 * test's thread, so that the same numbers always give the same history.
 */
final class ChosenTasks implements Executor {

    private final SplittableRandom random;
    private final List<Runnable> waiting = new ArrayList<>();

    ChosenTasks(SplittableRandom random) {
        this.random = random;
    }

    @Override
    public void execute(Runnable task) {
        waiting.add(task);
    }

    /** Runs at most {@code most} waiting tasks, including those that they start. */
    void run(int most) {
        for (int i = 0; i < most && !waiting.isEmpty(); i++) {
            waiting.remove(random.nextInt(waiting.size())).run();
        }
    }

    /** Runs all. */
    void runAll() {
        run(Integer.MAX_VALUE);
    }
}
