/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import java.io.PrintWriter;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The lines that a job prints while it runs: its progress every two seconds; once, that it waits
 * for records; and, at growing intervals, that its broker is away or that it fails and restarts.
 */
final class JobProgress {
    private static final long SECOND = 1_000_000_000L;
    private static final long LINE_NANOS = 2 * SECOND;

    /**
     * After this long without an answer it prints that there is none; then again after twice that.
     */
    private static final long SILENCE_NANOS = 5 * SECOND;

    private static final long MAX_GAP_NANOS = 600 * SECOND;

    private final PrintWriter out;
    private final String servers;
    private final LongSupplier nanoTime;
    private final Sparse silence = new Sparse();
    private final Sparse failures = new Sparse();

    private long lastNanos;
    private long last;
    private long restarts;
    private boolean waiting;

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

    JobProgress(PrintWriter out, String servers, LongSupplier nanoTime) {
        this.out = out;
        this.servers = servers;
        this.nanoTime = nanoTime;
        lastNanos = nanoTime.getAsLong();
    }

    /** Whether two seconds have passed since the last {@link #show}. */
    boolean isDue() {
        return nanoTime.getAsLong() - lastNanos >= LINE_NANOS;
    }

    /**
     * Prints news, at most every two seconds.
     *
     * @param read records so far
     * @param brokerAnswers whether it answered the last question
     * @param restartsSoFar of the job, after failures
     * @param failure the last one
     */
    void show(long read, boolean brokerAnswers, long restartsSoFar, Supplier<String> failure) {
        if (!isDue()) {
            return;
        }
        long now = nanoTime.getAsLong();
        showBroker(brokerAnswers, now);
        showRestarts(restartsSoFar, failure, now);
        if (read != last) {
            double seconds = (double) (now - lastNanos) / SECOND;
            out.printf("%,14d records read  %,10.0f/s%n", read, (read - last) / seconds);
            waiting = false;
        } else if (!waiting && brokerAnswers) {
            out.printf("%,14d records read; waiting for more%n", read);
            waiting = true;
        }
        out.flush();
        last = read;
        lastNanos = now;
    }

    private void showBroker(boolean answers, long now) {
        if (answers) {
            if (silence.end()) {
                out.printf("the broker at %s answers again%n", servers);
            }
        } else if (silence.isDue(now)) {
            out.printf(
                    "no broker has answered at %s for %d s; the job continues when one does%n",
                    servers, (now - silence.since) / SECOND);
        }
    }

    private void showRestarts(long soFar, Supplier<String> failure, long now) {
        // The first failure of a job that fails repeatedly is printed immediately.
        if (soFar > restarts && (!failures.on || now >= failures.next)) {
            out.printf(
                    "the job has failed and restarted from its last checkpoint, %d times by now:"
                            + " %s%n",
                    soFar, failure.get());
            restarts = soFar;
            boolean unused = failures.isDue(now);
        }
    }
}
