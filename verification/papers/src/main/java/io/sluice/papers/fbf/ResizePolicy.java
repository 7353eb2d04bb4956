/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

/**
 * Decides the time between refreshes t and the number of past filters N while a filter runs.
 * Implementations are pure: they know only the observation.
 */
interface ResizePolicy {

    /** Called at regular times, between insertions. */
    Decision decide(Observation observation);

    /** The state at one moment: t, N, the window, the rate, the probability, m and k. */
    record Observation(
            long refreshMillis,
            int past,
            long windowMillis,
            double perSecond,
            double fpp,
            double target,
            long millisSinceChange,
            int bits,
            int hashes) {

        Decision unchanged() {
            return new Decision(refreshMillis, past, false);
        }
    }

    /** The t and N from now on, and whether to refresh at once. */
    record Decision(long refreshMillis, int past, boolean refreshNow) {}

    /** The shortest t with which N past filters cover the window: (N + 1) t is not shorter. */
    static long leastRefresh(long windowMillis, int past) {
        return (windowMillis + past) / (past + 1L);
    }

    /**
     * Algorithm 3 with its faults fixed: at 0.9 of the target N + 2 doubles and t becomes a step
     * shorter; at a tenth of it N becomes one less and t a step longer.
     *
     * <p>Departures: t and N have bounds (as printed, t reaches 0 and N runs away); after a change
     * nothing changes for a refresh period; nothing is scaled down before a whole window has passed
     * (as printed, the empty filter is scaled down from the first second), nor if the rest would
     * not cover the window; growing refreshes at once, because nothing may be forgotten early.
     */
    static ResizePolicy paper(long stepMillis, long minRefreshMillis, int mostPast) {
        return new PaperResizePolicy(stepMillis, minRefreshMillis, mostPast);
    }

    /**
     * Plans t and N from the rate: t is the longest time that keeps the probability of the
     * corrected check at half the target, and N the smallest number that then covers the window.
     */
    static ResizePolicy planned(long minRefreshMillis, int mostPast) {
        return new PlannedResizePolicy(minRefreshMillis, mostPast);
    }
}
