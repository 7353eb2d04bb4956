/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.latency;

import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * When each record of this process's job is due, and how late it arrived. A record is late from the
 * moment at which it was due, not from that at which the source got to it: a job that stands still
 * for a second delays all records of that second, and all of them count. One job at a time; the
 * source and the end of the job have one subtask each.
 */
final class Schedule {

    /** Longest latency that is told apart. */
    private static final long MOST_NANOS = 60_000_000_000L;

    /** A thread that sleeps wakes up late by about this much. */
    private static final long SLACK_NANOS = 60_000;

    private static volatile Schedule current = new Schedule(1, 0);

    private final double nanosEach;
    private final long warmUp;
    private final Histogram latencies = new Histogram(MOST_NANOS, 3);

    /** Written before the first record is sent, and read by those who get one. */
    private volatile long start;

    private Schedule(double nanosEach, long warmUp) {
        this.nanosEach = nanosEach;
        this.warmUp = warmUp;
    }

    /**
     * Starts over.
     *
     * @param nanosEach time from one record to the next; 0 for as fast as possible
     * @param warmUp first records, whose latency does not count
     */
    static Schedule begin(double nanosEach, long warmUp) {
        current = new Schedule(nanosEach, warmUp);
        return current;
    }

    static Schedule current() {
        return current;
    }

    /** Waits until record {@code number} is due, unless it is overdue. */
    void await(long number) {
        if (number == 0) {
            start = System.nanoTime();
        }
        if (nanosEach == 0) {
            return;
        }
        long due = due(number);
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
            if (left > 2 * SLACK_NANOS) {
                LockSupport.parkNanos(left - SLACK_NANOS);
            } else {
                Thread.onSpinWait();
            }
        }
    }

    private long due(long number) {
        return start + (long) (number * nanosEach);
    }

    /** Record {@code number} has arrived. */
    void arrived(long number) {
        if (number >= warmUp) {
            long late = Math.max(0, System.nanoTime() - due(number));
            latencies.recordValue(Math.min(late, MOST_NANOS));
        }
    }

    /** Returns the latencies in nanoseconds, once the job has ended. */
    Histogram latencies() {
        return latencies;
    }
}
