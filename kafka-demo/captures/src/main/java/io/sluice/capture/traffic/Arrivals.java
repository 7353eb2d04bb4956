/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

/**
 * A known number of random times in ascending order, generated one by one without a list. They are
 * uniform within an interval: a Poisson process with a known number of events (Bentley, Saxe:
 * Generating sorted lists of random numbers, ACM TOMS 6, 1980).
 */
final class Arrivals {
    private final SplitMix64 random;
    private final double end;
    private double time;
    private long left;

    /** {@code count} times in [from, end), in nanoseconds. */
    Arrivals(SplitMix64 random, long count, double from, double end) {
        this.random = random;
        this.end = end;
        time = from;
        left = count;
        advance();
    }

    /** The next time; {@link Long#MAX_VALUE} when there is none. */
    long peek() {
        return left == 0 ? Long.MAX_VALUE : (long) time;
    }

    /** Moves to the next time. */
    void next() {
        left--;
        advance();
    }

    private void advance() {
        if (left > 0) {
            // The smallest of n uniform variables in [0, 1) is distributed as 1 - u^(1/n).
            double least = 1 - StrictMath.pow(1 - random.nextDouble(), 1.0 / left);
            time += least * (end - time);
        }
    }
}
