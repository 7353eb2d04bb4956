/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import io.sluice.filter.plane.FalsePositiveModel;
import java.util.Arrays;

/** See {@link ResizePolicy#planned}. Immutable. */
record PlannedResizePolicy(long minRefreshMillis) implements ResizePolicy {

    /**
     * Plans aim at this share of the target: the rate may rise before the next plan takes effect.
     */
    private static final double SAFETY = 0.5;

    /** A plan that makes t longer by less than this factor is not worth a change. */
    private static final double HYSTERESIS = 1.5;

    PlannedResizePolicy {
        if (minRefreshMillis < 1) {
            throw new IllegalArgumentException(
                    "minRefreshMillis must be at least 1, got " + minRefreshMillis);
        }
    }

    @Override
    public Decision decide(Observation now) {
        int past = 1;
        while (past < now.maxPastFilters() && !fits(now, past)) {
            past++;
        }
        long refresh = Math.max(minRefreshMillis, Coverage.leastRefresh(now.windowMillis(), past));
        past = (int) Math.min(past, Coverage.leastPastFilters(now.windowMillis(), refresh));
        boolean shorter = refresh < now.refreshMillis();
        boolean muchLonger =
                refresh > HYSTERESIS * now.refreshMillis()
                        && now.millisSinceChange() >= now.windowMillis();
        return shorter || muchLonger
                ? new Decision(refresh, past, shorter)
                : Decision.unchanged(now);
    }

    /** Whether N past filters that just cover the window stay below the target at this rate. */
    private static boolean fits(Observation now, int past) {
        double[] slices = new double[past + 2];
        long refresh = Coverage.leastRefresh(now.windowMillis(), past);
        Arrays.fill(slices, now.ratePerSecond() * refresh / 1000);
        return FalsePositiveModel.slices(slices, (double) now.positions(), now.probes())
                <= SAFETY * now.targetFpp();
    }
}
