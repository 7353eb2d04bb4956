/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

/** See {@link ResizePolicy#paper}. Immutable. */
record PaperResizePolicy(long stepMillis, long minRefreshMillis, int mostPast)
        implements ResizePolicy {

    /** From this share of the target on, the paper scales up. */
    static final double HIGH = 0.9;

    /** Up to this share of the target, the paper scales down. */
    static final double LOW = 0.1;

    @Override
    public Decision decide(Observation now) {
        if (now.millisSinceChange() < now.refreshMillis()) {
            return now.unchanged();
        }
        if (now.fpp() >= HIGH * now.target()) {
            return scaledUp(now);
        }
        boolean windowPassed = now.millisSinceChange() >= now.windowMillis();
        return windowPassed && now.fpp() <= LOW * now.target() ? scaledDown(now) : now.unchanged();
    }

    private Decision scaledUp(Observation now) {
        int past = Math.min(mostPast, 2 * (now.past() + 2) - 2);
        long refresh = Math.max(minRefreshMillis, now.refreshMillis() - stepMillis);
        long covering = ResizePolicy.leastRefresh(now.windowMillis(), past);
        refresh = Math.min(now.refreshMillis(), Math.max(refresh, covering));
        boolean changed = past != now.past() || refresh != now.refreshMillis();
        return new Decision(refresh, past, changed);
    }

    private Decision scaledDown(Observation now) {
        int past = Math.max(1, now.past() - 1);
        long refresh = Math.min(now.windowMillis(), now.refreshMillis() + stepMillis);
        return refresh < ResizePolicy.leastRefresh(now.windowMillis(), past)
                ? now.unchanged()
                : new Decision(refresh, past, false);
    }
}
