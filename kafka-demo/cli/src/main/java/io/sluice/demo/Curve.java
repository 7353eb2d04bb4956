/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

/** Amounts over a {@link Timeline}. Not thread-safe. */
final class Curve {
    private final Timeline time;
    private final double[] amounts;

    Curve(Timeline time) {
        this.time = time;
        amounts = new double[time.intervals()];
    }

    /** Adds {@code amount} at {@code millis}. */
    void add(long millis, double amount) {
        amounts[time.intervalOf(millis)] += amount;
    }

    /** Adds {@code amount} evenly to all intervals from one time to another, both inclusive. */
    void spread(long fromMillis, long toMillis, double amount) {
        int from = time.intervalOf(fromMillis);
        int to = time.intervalOf(toMillis);
        double each = amount / (to - from + 1);
        for (int i = from; i <= to; i++) {
            amounts[i] += each;
        }
    }

    /** The sum up to the end of each interval. */
    double[] cumulative() {
        double[] sums = new double[amounts.length];
        double sum = 0;
        for (int i = 0; i < sums.length; i++) {
            sum += amounts[i];
            sums[i] = sum;
        }
        return sums;
    }
}
