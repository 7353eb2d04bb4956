/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.truth;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * New ids at a steady rate, of which some come again: most of them soon, some late in the window,
 * and some so long after it that they are new once more. A function of the seed.
 */
final class ScriptedIds {
    /** Windows after which an id is certainly new, however far event time lags behind. */
    static final int WINDOWS_UNTIL_NEW = 4;

    /** How many of the sends are of new ids, about. */
    private static final double NEW_SHARE = 0.65;

    private static final double COMES_AGAIN = 0.3;
    private static final double IS_NEW_AGAIN = 0.03;
    private static final int MAX_COPIES = 4;
    private static final double SOON_MILLIS = 300;
    private static final double LATEST_IN_WINDOW = 0.7;

    private final SplittableRandom random;
    private final long windowMillis;
    private final double millisBetweenNew;
    private final PriorityQueue<Due> repeats =
            new PriorityQueue<>(
                    Comparator.comparingLong(Due::millis).thenComparingLong(Due::sequence));
    private double nextNewMillis;
    private long nextId;
    private long repeated;

    /**
     * An id to send.
     *
     * @param millis since the start
     * @param sequence breaks ties
     * @param copy 0 for the first
     */
    record Due(long millis, long sequence, long id, int copy) {}

    /**
     * For a random number generator of its own.
     *
     * @param perSecond sends, about
     */
    ScriptedIds(SplittableRandom random, Duration window, int perSecond) {
        this.random = random;
        windowMillis = window.toMillis();
        millisBetweenNew = 1000 / (perSecond * NEW_SHARE);
    }

    Due next() {
        if (!repeats.isEmpty() && repeats.peek().millis() <= nextNewMillis) {
            return repeats.remove();
        }
        long now = (long) nextNewMillis;
        long id = nextId++;
        nextNewMillis += millisBetweenNew;
        planCopies(now, id, 1);
        if (random.nextDouble() < IS_NEW_AGAIN) {
            long again =
                    now + (WINDOWS_UNTIL_NEW + 1) * windowMillis + random.nextLong(windowMillis);
            repeat(again, id, 1 + MAX_COPIES);
            planCopies(again, id, 2 + MAX_COPIES);
        }
        return new Due(now, 0, id, 0);
    }

    private void planCopies(long fromMillis, long id, int firstCopy) {
        if (random.nextDouble() >= COMES_AGAIN) {
            return;
        }
        int copies = 1 + random.nextInt(MAX_COPIES);
        for (int i = 0; i < copies; i++) {
            repeat(fromMillis + delay(), id, firstCopy + i);
        }
    }

    private long delay() {
        double which = random.nextDouble();
        if (which < 0.5) {
            return (long) (-SOON_MILLIS * Math.log1p(-random.nextDouble()));
        }
        double most = which < 0.8 ? 5000 : LATEST_IN_WINDOW * windowMillis;
        return (long) (most * random.nextDouble());
    }

    private void repeat(long millis, long id, int copy) {
        repeats.add(new Due(millis, ++repeated, id, copy));
    }
}
