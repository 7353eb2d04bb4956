/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.schedules;

import java.util.Collection;
import java.util.List;
import org.pastalab.fray.core.ThreadContext;
import org.pastalab.fray.core.randomness.Randomness;
import org.pastalab.fray.core.scheduler.PCTScheduler;
import org.pastalab.fray.core.scheduler.POSScheduler;
import org.pastalab.fray.core.scheduler.RandomScheduler;
import org.pastalab.fray.core.scheduler.Scheduler;

/**
 * Takes another way to choose in each schedule. Partial-order sampling looks for orders of steps
 * that touch the same thing; priorities that change at three places let one thread run far ahead of
 * the others; and blind choice is for what neither thinks of.
 */
final class MixedScheduler extends Scheduler {

    private static final int WAYS = 4;

    private static final int CHANGES = 3;

    /** Steps among which priorities change: bodies have hundreds to tens of thousands. */
    private static final int[] STEPS = {200, 1_000, 5_000};

    private final Scheduler way;

    private MixedScheduler(Randomness random, Scheduler way) {
        super(random);
        this.way = way;
    }

    static MixedScheduler of(Randomness random) {
        Scheduler way =
                switch (random.nextInt() % WAYS) {
                    case 0 -> new RandomScheduler(random);
                    case 1 ->
                            new PCTScheduler(
                                    random, CHANGES, STEPS[random.nextInt() % STEPS.length]);
                    default -> new POSScheduler(random);
                };
        return new MixedScheduler(random, way);
    }

    @Override
    public ThreadContext scheduleNextOperation(
            List<ThreadContext> threads, Collection<ThreadContext> all) {
        return way.scheduleNextOperation(threads, all);
    }

    @Override
    public Scheduler nextIteration(Randomness random) {
        return of(random);
    }
}
