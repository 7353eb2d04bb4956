/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.Agreement;

/**
 * Compares the numbers of one table with those of an independent implementation: counted errors
 * must agree within five standard errors of both sides, formulas within the digits of the tables.
 */
final class KbfAgreement extends Agreement {
    /**
     * A difference of this many hits is always allowed: with few hits the distribution is skewed.
     */
    private static final double FREE_HITS = 3;

    private final String name;

    KbfAgreement(String name) {
        this.name = name;
    }

    /**
     * Shares of errors, counted by both sides.
     *
     * @param ourSample our sample size; infinite for an exact probability
     * @param theirSample their sample size
     */
    void share(String point, double ours, double ourSample, double theirs, double theirSample) {
        // Errors come in pairs when keys share cells: twice the binomial variance.
        double p = Math.max((ours + theirs) / 2, 0.5 / theirSample);
        double deviation = Math.sqrt(2 * p * (1 / ourSample + 1 / theirSample));
        double distance = Math.abs(ours - theirs);
        double allowed = SIGMAS * deviation + FREE_HITS * (1 / ourSample + 1 / theirSample);
        count(point, distance <= allowed, distance / deviation, ours, theirs);
    }

    /** A formula, up to rounding to {@code digits} significant digits. */
    void formula(String point, double ours, double theirs, int digits) {
        double slack = Math.abs(theirs) * 0.6 * Math.pow(10, 1 - digits) + 1e-30;
        double distance = Math.abs(ours - theirs);
        count(point, distance <= slack, distance / slack, ours, theirs);
    }

    void report(BenchReport report) {
        report(report, "kbf.reference." + name, "numbers agree", "");
    }
}
