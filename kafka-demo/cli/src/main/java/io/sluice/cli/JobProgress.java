/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.annotation.Nullable;

/**
 * The lines that a job prints while it runs: its progress, once that it waits for records, and, at
 * growing intervals, that its broker is away or that it fails and restarts. On a terminal progress
 * is one line that changes every two seconds; in a log it is a line at growing intervals, at most
 * one a minute in the end.
 */
final class JobProgress {
    private static final long SECOND = 1_000_000_000L;
    private static final long LINE_NANOS = 2 * SECOND;

    /**
     * After this long without an answer it prints that there is none; then again after twice that.
     */
    private static final long SILENCE_NANOS = 5 * SECOND;

    private static final long MAX_GAP_NANOS = 600 * SECOND;
    private static final long MAX_LINE_GAP_NANOS = 60 * SECOND;

    private final ProgressLine line;
    private final LongSupplier nanoTime;
    private final Sparse silence = new Sparse();
    private final Sparse failures = new Sparse();

    private @Nullable String silentBefore;
    private long lastNanos;
    private long last;
    private long restarts;
    private boolean waiting;
    private long printed;
    private long printedNanos;
    private long lineGap = LINE_NANOS;

    /** When to repeat a message. */
    private static final class Sparse {
        private boolean on;
        private boolean said;
        private long since;
        private long next;
        private long gap;

        /** Whether to print now what has held since {@link #since}. */
        boolean isDue(long now) {
            if (!on) {
                on = true;
                since = now;
                gap = SILENCE_NANOS;
                next = now + gap;
            }
            if (now < next) {
                return false;
            }
            gap = Math.min(2 * gap, MAX_GAP_NANOS);
            next = now + gap;
            said = true;
            return true;
        }

        /** Notes that it no longer holds; returns whether it was printed. */
        boolean end() {
            boolean was = said;
            on = false;
            said = false;
            return was;
        }
    }

    JobProgress(ProgressLine line, LongSupplier nanoTime) {
        this.line = line;
        this.nanoTime = nanoTime;
        lastNanos = nanoTime.getAsLong();
        printedNanos = lastNanos;
    }

    /** Whether two seconds have passed since the last {@link #show}. */
    boolean isDue() {
        return nanoTime.getAsLong() - lastNanos >= LINE_NANOS;
    }

    /**
     * Prints what is new, at most every two seconds.
     *
     * @param read records so far
     * @param running whether all of the job runs: it waits for records only then
     * @param silent the addresses of brokers that did not answer the last question; null if all did
     * @param restartsSoFar of the job, after failures
     * @param failure the last one
     */
    void show(
            long read,
            boolean running,
            @Nullable String silent,
            long restartsSoFar,
            Supplier<String> failure) {
        if (!isDue()) {
            return;
        }
        long now = nanoTime.getAsLong();
        showBroker(silent, now);
        showRestarts(restartsSoFar, failure, now);
        if (read != last) {
            if (line.isOverwritten() || now - printedNanos >= lineGap) {
                showRate(read, now);
            }
            waiting = false;
        } else if (!waiting && running && silent == null) {
            line.keep("%,14d records read; waiting for more".formatted(read));
            waiting = true;
            lineGap = LINE_NANOS;
        }
        last = read;
        lastNanos = now;
    }

    /** The rate is that since the line before. */
    private void showRate(long read, long now) {
        double seconds = (double) (now - printedNanos) / SECOND;
        line.replace("%,14d records read  %,10.0f/s".formatted(read, (read - printed) / seconds));
        printed = read;
        printedNanos = now;
        lineGap = Math.min(2 * lineGap, MAX_LINE_GAP_NANOS);
    }

    /** Leaves the terminal to other lines. */
    void end() {
        line.end();
    }

    private void showBroker(@Nullable String silent, long now) {
        if (silent == null) {
            if (silence.end()) {
                line.keep("the broker at %s answers again".formatted(silentBefore));
            }
            return;
        }
        silentBefore = silent;
        if (silence.isDue(now)) {
            line.keep(
                    "no broker has answered at %s for %d s; the job continues when one does"
                            .formatted(silent, (now - silence.since) / SECOND));
        }
    }

    private void showRestarts(long soFar, Supplier<String> failure, long now) {
        // The first failure of a job that fails repeatedly is printed immediately.
        if (soFar > restarts && (!failures.on || now >= failures.next)) {
            line.keep(
                    ("the job has failed and restarted from its last checkpoint, %d times by now:"
                                    + " %s")
                            .formatted(soFar, failure.get()));
            restarts = soFar;
            boolean unused = failures.isDue(now);
        }
    }
}
