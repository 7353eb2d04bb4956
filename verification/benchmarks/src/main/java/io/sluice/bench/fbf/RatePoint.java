/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import io.sluice.bench.fbf.MonteCarlo.Estimate;
import java.util.ArrayList;
import java.util.List;

/**
 * One point of figures 11 and 12: a filter under a changing rate, at time {@code now}. The paper
 * does not give the time of the last refresh, so the point is the mean over five such times, evenly
 * spread over a period.
 *
 * @param arrivals elements over time
 * @param past number of past filters
 * @param period seconds between refreshes
 */
record RatePoint(ElementTimes arrivals, double now, int past, double period, int bits) {
    private static final int PHASES = 5;

    /** A point whose time is rounded to the arrival steps. */
    static RatePoint at(ElementTimes arrivals, double now, int past, double period, int bits) {
        double step = ElementTimes.STEPS_A_SECOND;
        return new RatePoint(arrivals, Math.round(now * step) / step, past, period, bits);
    }

    /** Seconds: long compared with rounding, short compared with the time between two elements. */
    private static final double MARGIN = 1e-6;

    /** All filters: past ones, present and future. */
    int filters() {
        return past + 2;
    }

    List<FilterState> states(double margin) {
        List<FilterState> states = new ArrayList<>(PHASES);
        for (int i = 0; i < PHASES; i++) {
            double sinceRefresh = (i + 0.5) * period / PHASES;
            states.add(FilterState.at(arrivals, now, sinceRefresh, period, past, margin));
        }
        return states;
    }

    double equationThree() {
        return mean(0, true, bits);
    }

    double exact() {
        return mean(0, false, bits);
    }

    /** Converts a measurement with slightly more bits to the requested number of bits. */
    Estimate forBitsAsked(Estimate optimised) {
        double asked = exact();
        return asked == 0 ? optimised : optimised.scaled(asked / mean(0, false, optimised.bits()));
    }

    Estimate optimised(FbfRun run) {
        return run.monteCarlo(Subject.sluicePaperRule(), bits, 1.0 / PHASES).measure(states(0));
    }

    /** The optimised check on filters as printed, which insert without checking. */
    Estimate plainOptimised(FbfRun run) {
        return run.monteCarlo(Subject.plain(PlainFilters.Rule.CORRECTED), bits, 1.0 / PHASES)
                .measure(states(0));
    }

    Estimate simple(FbfRun run) {
        return run.monteCarlo(Subject.plain(PlainFilters.Rule.SIMPLE), bits, 1.0 / PHASES)
                .measure(states(0));
    }

    Estimate slicesRule(FbfRun run) {
        return run.monteCarlo(Subject.sluiceSlicesRule(), bits, 1.0 / PHASES).measure(states(0));
    }

    /**
     * Compares both formulas with a row of the reference, with boundary elements on either side.
     */
    void compare(FbfAgreement tally, String at, double eq3, double exactPair) {
        tally.formula(at + " eq3", mean(-MARGIN, true, bits), mean(MARGIN, true, bits), eq3);
        tally.formula(
                at + " exact", mean(-MARGIN, false, bits), mean(MARGIN, false, bits), exactPair);
    }

    private double mean(double margin, boolean asPrinted, int m) {
        double sum = 0;
        for (FilterState state : states(margin)) {
            sum += asPrinted ? Formulas.equationThree(state, m) : Formulas.exact(state, m);
        }
        return sum / PHASES;
    }
}
