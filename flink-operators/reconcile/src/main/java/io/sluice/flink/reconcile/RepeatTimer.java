/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

/**
 * Decides when to repeat a message, at growing intervals. Counts only time in which the job runs.
 * Not thread-safe.
 */
final class RepeatTimer {

    /** Delays grow to at most 2^6 times the first one. */
    static final int MAX_DOUBLINGS = 6;

    private final long retryMillis;
    private long waitedMillis;
    private long retryAtMillis;
    private int retries;
    private boolean isRetrying;

    /**
     * Fresh patience.
     *
     * @param retryMillis the first delay
     */
    RepeatTimer(long retryMillis) {
        this(retryMillis, 0, 0, 0, false);
    }

    RepeatTimer(
            long retryMillis,
            long waitedMillis,
            long retryAtMillis,
            int retries,
            boolean isRetrying) {
        this.retryMillis = retryMillis;
        this.waitedMillis = waitedMillis;
        this.retryAtMillis = retryAtMillis;
        this.retries = retries;
        this.isRetrying = isRetrying;
    }

    /** Time in which the job ran has passed. */
    void pass(long elapsedMillis) {
        long sum = waitedMillis + elapsedMillis;
        waitedMillis = sum < 0 ? Long.MAX_VALUE : sum;
    }

    /** The peer has sent something. */
    void heard() {
        retries = 0;
        retryAtMillis = waitedMillis + retryMillis;
    }

    /** Something was sent. */
    void said() {
        isRetrying = false;
        retryAtMillis = waitedMillis + (retryMillis << retries);
    }

    boolean isOver() {
        return waitedMillis >= retryAtMillis;
    }

    void retry() {
        isRetrying = true;
        retries = Math.min(retries + 1, MAX_DOUBLINGS);
    }

    /** The exchange has ended: from now on, time counts towards forgetting it. */
    void restart() {
        waitedMillis = 0;
        heard();
    }

    long waitedMillis() {
        return waitedMillis;
    }

    long retryAtMillis() {
        return retryAtMillis;
    }

    /** Repetitions since the peer was heard, up to {@link #MAX_DOUBLINGS}. */
    int retries() {
        return retries;
    }

    /** Whether the next message is a repetition. */
    boolean isRetrying() {
        return isRetrying;
    }
}
