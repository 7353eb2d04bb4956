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
 */
final class InsertionCurve {
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

    private final List<Point> points;
    private final double settledSeconds;

    private InsertionCurve(List<Point> points, double settledSeconds) {
        this.points = points;
        this.settledSeconds = settledSeconds;
    }

    /** Inserts a block of keys. */
    interface Insertion {
        void insert(long[] keys, int from, int to) throws IOException;
    }

    /**
     * Inserts keys and settles.
     *
     * @param insertion one of {@code filter}'s
     * @param block keys inserted by one call
     * @param keys a multiple of {@code block}
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
        long nanosStep = (long) (1e9 * mostSeconds / POINTS);
        long keysStep = Math.max(block, keys / POINTS);
        long start = System.nanoTime();
        long pointStart = start;
        long pointKeys = 0;
        long longest = 0;
        long before = start;
        for (long i = 0; i < keys; ) {
            source.fill(some);
            insertion.insert(some, 0, block);
            i += block;
            long now = System.nanoTime();
            longest = Math.max(longest, now - before);
            before = now;
            if (i - pointKeys >= keysStep || now - pointStart >= nanosStep || i >= keys) {
                points.add(
                        new Point(
                                i,
                                (now - start) / 1e9,
                                (i - pointKeys) * 1e9 / (now - pointStart),
                                longest / 1e6));
                pointStart = now;
                pointKeys = i;
                longest = 0;
                if (now - start >= 1e9 * mostSeconds) {
                    break;
                }
            }
        }
        filter.settle();
        return new InsertionCurve(points, (System.nanoTime() - start) / 1e9);
    }

    List<Point> points() {
        return points;
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

    /** Mean including the time to write what was in memory and to end background work. */
    double perSecondSettled() {
        return keys() / settledSeconds;
    }

    /** Rate of the slowest interval. */
    double leastPerSecond() {
        return points.stream().mapToDouble(Point::perSecond).min().orElseThrow();
    }

    /** Mean of the last tenth of the keys. */
    double lastPerSecond() {
        for (Point point : points) {
            if (point.keys() >= 0.9 * keys() && point.seconds() < seconds()) {
                return (keys() - point.keys()) / (seconds() - point.seconds());
            }
        }
        return last().perSecond();
    }

    double longestMillis() {
        return points.stream().mapToDouble(Point::longestMillis).max().orElseThrow();
    }

    private Point last() {
        return points.get(points.size() - 1);
    }
}
