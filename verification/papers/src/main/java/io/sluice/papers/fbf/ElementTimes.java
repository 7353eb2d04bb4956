/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;

/**
 * When elements arrive under a changing rate: time advances in steps of 10 ms, and an element
 * arrives in the step in which the sum of rate times step reaches the next whole number. Nothing is
 * random.
 */
final class ElementTimes {
    static final int STEPS_A_SECOND = 100;

    /** Of the last refresh before the moment that a point is about, evenly over a period. */
    private static final int PHASES = 5;

    /** Ascending, in seconds. */
    private final double[] times;

    private ElementTimes(double[] times) {
        this.times = times;
    }

    /**
     * Elements of a rate a second at each time in seconds.
     *
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

    /** Elements that arrived before a time. */
    private int before(double seconds) {
        int low = 0;
        int high = times.length;
        while (low < high) {
            int middle = (low + high) / 2;
            if (times[middle] < seconds) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The time of the last one. */
    double end() {
        return times[times.length - 1];
    }

    /**
     * Elements per slice at {@code now}, for each of several times of the last refresh, since the
     * paper does not give it.
     *
     * @param margin seconds by which slices are wider, or narrower if negative: shows what elements
     *     that arrive exactly at a refresh change
     */
    double[][] slices(double now, double period, int past, double margin) {
        double[][] states = new double[PHASES][past + 2];
        for (int phase = 0; phase < PHASES; phase++) {
            double end = now;
            double begin = now - (phase + 0.5) * period / PHASES;
            for (int i = 0; i < past + 2; i++) {
                int count = before(end + margin) - before(begin - margin);
                states[phase][i] = Math.max(0, count);
                end = begin;
                begin -= period;
            }
        }
        return states;
    }
}
