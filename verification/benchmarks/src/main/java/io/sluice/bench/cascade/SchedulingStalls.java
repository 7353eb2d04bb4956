/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

/**
 * How long a thread that only reads the clock loses the processor: a lower bound of every stall.
 */
final class SchedulingStalls {
    private SchedulingStalls() {}

    static double longestMillis(double seconds) {
        long start = System.nanoTime();
        long before = start;
        long longest = 0;
        while (before - start < 1e9 * seconds) {
            long now = System.nanoTime();
            longest = Math.max(longest, now - before);
            before = now;
        }
        return longest / 1e6;
    }
}
