/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import org.apache.flink.annotation.Internal;

/**
 * What keyed state holds for a counter. Public because Flink serializes only public records without
 * Kryo.
 *
 * @param value sum of applied deltas
 * @param expectedUndercount see {@link CounterValue}
 */
@Internal
public record CounterTotal(long value, double expectedUndercount) {

    static final CounterTotal ZERO = new CounterTotal(0, 0);

    CounterTotal plus(long delta, double undercount) {
        return new CounterTotal(value + delta, expectedUndercount + undercount);
    }

    /**
     * Returns what an applied operation adds to the expected undercount.
     *
     * @param fpp predicted probability of a false positive when it was applied
     */
    static double undercount(long delta, double fpp) {
        return fpp <= 0 ? 0 : delta * (fpp / (1 - Math.min(fpp, MAX_FPP)));
    }

    /** Keeps sums finite when a filter is saturated. */
    private static final double MAX_FPP = 1 - 1e-6;
}
