/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

/** See {@link ResizePolicy#paper}. Immutable. */
record PaperResizePolicy(long stepMillis, long minRefreshMillis, int minPastFilters)
        implements ResizePolicy {

    /** Below this share of the target the paper scales down. */
    private static final double LOW = 0.1;

    PaperResizePolicy {
        if (stepMillis < 1 || minRefreshMillis < 1 || minPastFilters < 1) {
            throw new IllegalArgumentException(
                    "stepMillis, minRefreshMillis and minPastFilters must be at least 1, got "
                            + stepMillis
                            + ", "
                            + minRefreshMillis
                            + " and "
                            + minPastFilters);
        }
    }

    @Override
    public Decision decide(Observation now) {
        if (now.millisSinceChange() < now.refreshMillis()) {
            return Decision.unchanged(now);
        }
        if (now.fpp() > now.targetFpp()) {
            return scaledUp(now);
        }
        boolean windowPassed = now.millisSinceChange() >= now.windowMillis();
        return windowPassed && now.fpp() <= LOW * now.targetFpp()
                ? scaledDown(now)
                : Decision.unchanged(now);
    }

    /** N + 2 becomes 2 (N + 2), t becomes t - step. */
    private Decision scaledUp(Observation now) {
        int filters = Math.min(now.maxPastFilters(), 2 * (now.pastFilters() + 2) - 2);
        long refresh = Math.max(minRefreshMillis, now.refreshMillis() - stepMillis);
        long covering = Coverage.leastRefresh(now.windowMillis(), filters);
        refresh = Math.min(now.refreshMillis(), Math.max(refresh, covering));
        boolean changed = filters != now.pastFilters() || refresh != now.refreshMillis();
        return new Decision(refresh, filters, changed);
    }

    /** N becomes N - 1, t becomes t + step. */
    private Decision scaledDown(Observation now) {
        int filters = Math.max(minPastFilters, now.pastFilters() - 1);
        long refresh = Math.min(now.windowMillis(), now.refreshMillis() + stepMillis);
        if (refresh < Coverage.leastRefresh(now.windowMillis(), filters)) {
            return Decision.unchanged(now);
        }
        return new Decision(refresh, filters, false);
    }
}
