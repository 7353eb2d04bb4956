/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Operations over time on one structure, until there are enough or the time is up: the paper's
 * figure 3 if they are insertions.
 *
 * <p>The clock is read once per block of operations, so that it does not slow them down; the
 * longest block is an upper bound of the longest operation in it.
 *
 * @param points of which there is at least one
 * @param settledSeconds until what was in memory was written and background work had ended
 */
record InsertionCurve(List<Point> points, double settledSeconds) {
    /** Operations between two readings of the clock, if they are done one by one. */
    static final int BLOCK = 16;

    /** Practically unlimited seconds: about thirty years. */
    static final double NO_LIMIT = 1e9;

    private static final int POINTS = 200;

    /**
     * One interval.
     *
     * @param keys in the structure at its end
     * @param seconds since the start
     * @param perSecond insertions a second within it
     * @param longestMillis of the blocks within it
     */
    record Point(long keys, double seconds, double perSecond, double longestMillis) {}

    /** Inserts a block of keys. */
    interface Insertion {
        void insert(long[] keys) throws IOException;
    }

    /**
     * Inserts keys and settles.
     *
     * @param insertion one of {@code filter}'s
     * @param block keys inserted by one call
     * @param keys how many, rounded down to a multiple of {@code block}
     */
    static InsertionCurve run(
            DiskFilter filter,
            Insertion insertion,
            KeySource source,
            int block,
            long keys,
            double mostSeconds)
            throws IOException {
        List<Point> points = new ArrayList<>();
        long[] some = new long[block];
        long all = keys / block * block;
        long nanosStep = (long) (1e9 * mostSeconds / POINTS);
        long keysStep = Math.max(block, all / POINTS);
        long start = System.nanoTime();
        long pointStart = start;
        long pointKeys = 0;
        long longest = 0;
        long before = start;
        for (long i = 0; i < all && before - start < 1e9 * mostSeconds; ) {
            source.fill(some);
            insertion.insert(some);
            i += block;
            long now = System.nanoTime();
            longest = Math.max(longest, now - before);
            before = now;
            if (i - pointKeys >= keysStep
                    || now - pointStart >= nanosStep
                    || i >= all
                    || now - start >= 1e9 * mostSeconds) {
                double rate = (i - pointKeys) * 1e9 / (now - pointStart);
                points.add(new Point(i, (now - start) / 1e9, rate, longest / 1e6));
                pointStart = now;
                pointKeys = i;
                longest = 0;
            }
        }
        filter.settle();
        return new InsertionCurve(points, (System.nanoTime() - start) / 1e9);
    }

    /** Keys inserted. */
    long keys() {
        return last().keys();
    }

    /** Until the last key was in. */
    double seconds() {
        return last().seconds();
    }

    /** Mean over all insertions. */
    double perSecond() {
        return keys() / seconds();
    }

    /** Mean including the time to settle. */
    double perSecondSettled() {
        return keys() / settledSeconds;
    }

    /** Rate of the slowest interval. */
    double leastPerSecond() {
        return points.stream().mapToDouble(Point::perSecond).min().orElseThrow();
    }

    /** Mean of the last tenth of the keys. */
    double lastPerSecond() {
        return points.stream()
                .filter(point -> point.keys() >= 0.9 * keys() && point.keys() < keys())
                .findFirst()
                .map(point -> (keys() - point.keys()) / (seconds() - point.seconds()))
                .orElse(last().perSecond());
    }

    double longestMillis() {
        return points.stream().mapToDouble(Point::longestMillis).max().orElseThrow();
    }

    private Point last() {
        return points.get(points.size() - 1);
    }
}
