/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.flink.testkit.local.RunningJob;
import java.io.IOException;
import java.io.PrintWriter;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends a job in this process, or what is to become one, when the user interrupts it. */
final class InterruptibleJob {
    private static final Logger LOG = LoggerFactory.getLogger(InterruptibleJob.class);

    private final boolean continues;
    private final PrintWriter err;
    private boolean interrupted;
    private boolean cancelled;
    private @Nullable RunningJob job;

    /**
     * @param continues whether a next run goes on from the job's checkpoints
     */
    InterruptibleJob(boolean continues, PrintWriter err) {
        this.continues = continues;
        this.err = err;
    }

    /** Ends the job if it was submitted. If not, the thread that submits it finds out. */
    void interrupt() {
        RunningJob submitted;
        synchronized (this) {
            interrupted = true;
            submitted = job;
        }
        if (submitted != null) {
            stop(submitted);
        }
    }

    synchronized boolean isInterrupted() {
        return interrupted;
    }

    /** Returns whether the job was cancelled, so that its end is not a failure. */
    synchronized boolean isCancelled() {
        return cancelled;
    }

    /** Follows a job that was submitted, and ends it if the interrupt came meanwhile. */
    void follows(RunningJob submitted) {
        boolean late;
        synchronized (this) {
            job = submitted;
            late = interrupted;
        }
        if (late) {
            stop(submitted);
        }
    }

    void tellThatItHadNotStarted() {
        err.println("sluice: interrupted before the job had started");
        err.flush();
    }

    /** Ends the job with a savepoint or, if none can be taken, without. */
    private void stop(RunningJob submitted) {
        if (submitted.isStarting()) {
            tellThatItHadNotStarted();
            cancel(submitted);
            return;
        }
        if (submitted.hasEnded()) {
            return;
        }
        try {
            submitted.stopWithSavepoint(false);
        } catch (IOException e) {
            LOG.warn("The job did not stop with a savepoint", e);
            err.printf(
                    "sluice: warning: the job was stopped without a savepoint (%s): %s%n",
                    e.getMessage(),
                    continues
                            ? "the next run continues from the last checkpoint"
                            : "records after the last checkpoint are not committed");
            err.flush();
            cancel(submitted);
        }
    }

    private void cancel(RunningJob submitted) {
        synchronized (this) {
            cancelled = true;
        }
        try {
            submitted.cancel();
        } catch (IOException e) {
            LOG.warn("The job was not cancelled", e);
        }
    }
}
