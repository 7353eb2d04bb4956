/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import io.sluice.report.DemoReport.Event;
import io.sluice.report.DemoReport.ProgressPoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How many records the job has read over time, and what was done to it when. Records that are read
 * again after a restart count again. Thread-safe.
 */
final class ProgressLog implements AutoCloseable {
    private static final long INTERVAL_MILLIS = 100;
    private static final long PEAK_MILLIS = 500;
    private static final double NANOS_PER_SECOND = 1e9;

    private final LongSupplier recordsRead;
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(
                    task -> {
                        Thread thread = new Thread(task, "sluice-progress");
                        thread.setDaemon(true);
                        return thread;
                    });
    private final ScheduledFuture<?> sampling;
    private final List<ProgressPoint> points = new ArrayList<>();
    private final List<Event> events = new ArrayList<>();
    private final long startNanos = System.nanoTime();
    private final long startMillis = System.currentTimeMillis();

    /**
     * @param recordsRead how many records the job has read so far, which never decreases
     */
    ProgressLog(LongSupplier recordsRead) {
        this.recordsRead = recordsRead;
        sampling =
                timer.scheduleAtFixedRate(
                        this::sample, INTERVAL_MILLIS, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
    }

    private synchronized void sample() {
        long total = total();
        double seconds = seconds();
        double rate = 0;
        if (!points.isEmpty()) {
            ProgressPoint before = points.get(points.size() - 1);
            rate = (total - before.records()) / Math.max(1e-3, seconds - before.seconds());
        }
        points.add(new ProgressPoint(seconds, total, rate));
    }

    /** Records read so far. */
    long total() {
        return recordsRead.getAsLong();
    }

    /** Notes that something was done to the job now. */
    synchronized void event(String name) {
        events.add(new Event(seconds(), name));
    }

    private double seconds() {
        return (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
    }

    /** Seconds from the beginning of the log to {@code millis}, milliseconds since 1970. */
    double secondsAt(long millis) {
        return (millis - startMillis) / 1000.0;
    }

    synchronized List<ProgressPoint> points() {
        return List.copyOf(points);
    }

    synchronized List<Event> events() {
        return List.copyOf(events);
    }

    /** The highest rate over half a second. */
    synchronized double peak() {
        int span = (int) (PEAK_MILLIS / INTERVAL_MILLIS);
        double peak = 0;
        for (int i = span; i < points.size(); i++) {
            ProgressPoint from = points.get(i - span);
            ProgressPoint to = points.get(i);
            double seconds = Math.max(1e-3, to.seconds() - from.seconds());
            peak = Math.max(peak, (to.records() - from.records()) / seconds);
        }
        return peak;
    }

    @Override
    public void close() {
        sampling.cancel(false);
        timer.shutdownNow();
    }
}
