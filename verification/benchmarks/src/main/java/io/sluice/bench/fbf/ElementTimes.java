/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;

/**
 * When elements arrive under a changing rate: time advances in steps of 10 ms, and an element
 * arrives in the step in which the sum of rate times step reaches the next whole number. Nothing is
 * random: two runs of one process are equal.
 */
final class ElementTimes {
    static final int STEPS_A_SECOND = 100;

    /** Ascending, in seconds. */
    private final double[] times;

    private ElementTimes(double[] times) {
        this.times = times;
    }

    /**
     * @param rate elements per second at a time in seconds
     * @param seconds nothing arrives later
     * @param limit the most elements
     */
    static ElementTimes of(DoubleUnaryOperator rate, double seconds, int limit) {
        double[] times = new double[limit];
        int count = 0;
        double due = 0;
        for (int step = 0; step <= seconds * STEPS_A_SECOND; step++) {
            double now = (double) step / STEPS_A_SECOND;
            due += rate.applyAsDouble(now) / STEPS_A_SECOND;
            for (; due >= 1 && count < limit; due--) {
                times[count++] = now;
            }
        }
        return new ElementTimes(Arrays.copyOf(times, count));
    }

    /** The rate climbs linearly from 0 to {@code peak} elements a second within {@code seconds}. */
    static ElementTimes ramp(double peak, double seconds) {
        return of(time -> peak * time / seconds, seconds, (int) (peak * seconds));
    }

    /** One element a second at first, doubling every {@code doubling} seconds. */
    static ElementTimes exponential(double doubling, int limit) {
        double full = doubling * Math.log(limit * Math.log(2) / doubling + 1) / Math.log(2);
        return of(time -> Math.pow(2, time / doubling), full + 1, limit);
    }

    static ElementTimes constant(double rate, double seconds) {
        return of(time -> rate, seconds, (int) (rate * seconds) + 1);
    }

    /** Elements with an arrival time below {@code seconds}. */
    int before(double seconds) {
        int found = Arrays.binarySearch(times, seconds);
        if (found < 0) {
            return -found - 1;
        }
        while (found > 0 && times[found - 1] == seconds) {
            found--;
        }
        return found;
    }

    /** The time of the last one. */
    double end() {
        return times[times.length - 1];
    }
}
