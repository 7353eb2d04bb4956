/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * What keyed state holds for a counter: a job of Flink's State Processor API reads it with {@link
 * #descriptor}, from the operator whose uid is that of {@link IdempotentCounters}. A key of that
 * state is the counter's key if this is a {@code String}, and the number as a {@code Long} if it is
 * a {@code Long}, {@code Integer}, {@code Short} or {@code Byte}; of any other type it is a {@code
 * String} with a character for each byte.
 *
 * @param value sum of applied deltas
 * @param expectedUndercount see {@link CounterValue}
 */
@PublicEvolving
public record CounterTotal(long value, double expectedUndercount) {

    static final CounterTotal ZERO = new CounterTotal(0, 0);

    /** Returns the descriptor of the keyed state that holds totals. */
    public static ValueStateDescriptor<CounterTotal> descriptor() {
        return new ValueStateDescriptor<>("total", Types.POJO(CounterTotal.class));
    }

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
