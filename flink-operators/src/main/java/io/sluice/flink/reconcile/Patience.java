/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

/**
 * Decides when to repeat a message, at growing intervals. Counts only time in which the job runs.
 * Not thread-safe.
 */
final class Patience {

    /** Delays grow to at most 2^6 times the first one. */
    static final int MAX_DOUBLINGS = 6;

    long waitedMillis;
    long retryAtMillis;
    int retries;

    /** Whether the next message is a repetition. */
    boolean isRetrying;

    /** The peer has sent something. */
    void heard(long retryMillis) {
        retries = 0;
        retryAtMillis = waitedMillis + retryMillis;
    }

    /** Something was sent. */
    void said(long retryMillis) {
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
}
