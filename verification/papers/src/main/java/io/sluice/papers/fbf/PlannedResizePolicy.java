/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import java.util.Arrays;

/** See {@link ResizePolicy#planned}. Immutable. */
record PlannedResizePolicy(long minRefreshMillis, int mostPast) implements ResizePolicy {

    /** Plans aim lower: the rate may rise before the next plan takes effect. */
    private static final double SAFETY = 0.5;

    /** A plan that makes t longer by less than this factor is not worth a change. */
    private static final double HYSTERESIS = 1.5;

    @Override
    public Decision decide(Observation now) {
        int past = 1;
        while (past < mostPast && !fits(now, past)) {
            past++;
        }
        long refresh =
                Math.max(minRefreshMillis, ResizePolicy.leastRefresh(now.windowMillis(), past));
        while (past > 1 && ResizePolicy.leastRefresh(now.windowMillis(), past - 1) <= refresh) {
            past--;
        }
        boolean shorter = refresh < now.refreshMillis();
        boolean muchLonger =
                refresh > HYSTERESIS * now.refreshMillis()
                        && now.millisSinceChange() >= now.windowMillis();
        return shorter || muchLonger ? new Decision(refresh, past, shorter) : now.unchanged();
    }

    /** Whether N past filters that just cover the window stay below the target at this rate. */
    private static boolean fits(Observation now, int past) {
        // One filter more than N + 2 is held until its own slice has left the window.
        double[] slices = new double[past + 3];
        long refresh = ResizePolicy.leastRefresh(now.windowMillis(), past);
        Arrays.fill(slices, now.perSecond() * refresh / 1000);
        return ForgetfulModel.neighbourPairs(slices, now.bits(), now.hashes())
                <= SAFETY * now.target();
    }
}
