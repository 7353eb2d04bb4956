/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

/**
 * Decides the time between refreshes t and the number of past filters N of a forgetful Bloom filter
 * while it runs. Implementations are pure: they know only the observation.
 *
 * <p>Whatever is decided, {@link AdaptiveForgetfulFilter} forgets by time: the oldest filter goes
 * only when everything that it alone holds is older than the window.
 */
public interface ResizePolicy {

    /** Called at regular times, between insertions. */
    Decision decide(Observation observation);

    /**
     * The state at one moment.
     *
     * @param refreshMillis t now
     * @param pastFilters N now
     * @param maxPastFilters the largest possible N
     * @param windowMillis the guaranteed window
     * @param ratePerSecond ids recorded per second lately
     * @param fpp false-positive probability now
     * @param targetFpp the requested probability
     * @param millisSinceChange time since t or N changed, or since the beginning
     * @param positions m
     * @param probes k
     */
    record Observation(
            long refreshMillis,
            int pastFilters,
            int maxPastFilters,
            long windowMillis,
            double ratePerSecond,
            double fpp,
            double targetFpp,
            long millisSinceChange,
            long positions,
            int probes) {}

    /**
     * What is to be done.
     *
     * @param refreshMillis t from now on
     * @param pastFilters N from now on; 1 or the largest possible N if it is beyond them
     * @param refreshNow whether to refresh at once, so that the loaded newest filters stop filling
     */
    record Decision(long refreshMillis, int pastFilters, boolean refreshNow) {

        static Decision unchanged(Observation now) {
            return new Decision(now.refreshMillis(), now.pastFilters(), false);
        }
    }

    /** t and N stay as they are. */
    static ResizePolicy fixed() {
        return Decision::unchanged;
    }

    /**
     * Algorithm 3 of the paper with its faults fixed. It doubles the filters and makes t smaller by
     * a step when the probability is above the target, and takes one filter away and makes t larger
     * by a step when it is below a tenth.
     *
     * <p>Departures: t stays within {@code [minRefreshMillis, window]} and N within what the words
     * have bits for (as printed, t reaches 0 and N runs away); after a change nothing is changed
     * for a refresh period; nothing is scaled down before a whole window has passed (as printed,
     * the empty filter is scaled down from the first second), nor if the rest would not cover the
     * window; growing refreshes at once, because growing alone brings no relief: nothing may be
     * forgotten early.
     *
     * @param stepMillis the paper's second
     * @param minPastFilters N is never made smaller than this
     */
    static ResizePolicy paper(long stepMillis, long minRefreshMillis, int minPastFilters) {
        return new PaperResizePolicy(stepMillis, minRefreshMillis, minPastFilters);
    }

    /**
     * Plans t and N from the rate: the load of a filter is what comes in t, so t is the longest
     * time that keeps the model's probability at half the target, and N the smallest number that
     * then covers the window. At a constant rate, more filters alone do not lower the probability.
     */
    static ResizePolicy planned(long minRefreshMillis) {
        return new PlannedResizePolicy(minRefreshMillis);
    }
}
