/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

/**
 * A range of capture time in equal intervals, for plots.
 *
 * @param firstMillis inclusive
 * @param lastMillis inclusive; times outside belong to the first or last interval
 * @param intervals number of intervals, at least 1
 */
record Timeline(long firstMillis, long lastMillis, int intervals) {

    /** The interval of a time. */
    int intervalOf(long millis) {
        double share = (double) (millis - firstMillis) / span();
        return Math.max(0, Math.min(intervals - 1, (int) (share * intervals)));
    }

    /** Ends of the intervals, in seconds since the first. */
    double[] seconds() {
        double[] seconds = new double[intervals];
        for (int i = 0; i < intervals; i++) {
            seconds[i] = Math.round(span() * (double) (i + 1) / intervals) / 1000.0;
        }
        return seconds;
    }

    private long span() {
        return Math.max(1, lastMillis - firstMillis + 1);
    }
}
