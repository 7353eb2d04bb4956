/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

/**
 * When to say the same again, ever more seldom. Time is that in which the job runs. Not
 * thread-safe.
 */
final class Patience {

    /** Retries are put off to at most 2^6 times the first delay. */
    static final int MAX_DOUBLINGS = 6;

    long waitedMillis;
    long retryAtMillis;
    int retries;

    /** Whether what is said next has been said before. */
    boolean isRetrying;

    /** The peer has said something. */
    void heard(long retryMillis) {
        retries = 0;
        retryAtMillis = waitedMillis + retryMillis;
    }

    /** Something was said. */
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
