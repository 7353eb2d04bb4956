/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.ccf;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.Agreement;

/**
 * Compares the points of one table with those of an independent implementation: they must agree
 * within five standard errors of both sides together; where ours is designed to be better, it must
 * not be worse by more.
 */
final class CcfAgreement extends Agreement {
    /** Small counts are skewed: this many are always allowed. */
    private static final double FREE = 3;

    private final String name;

    CcfAgreement(String name) {
        this.name = name;
    }

    /**
     * Two measured values: near each other within {@code deviation}, the standard error of the
     * difference.
     */
    void near(String point, double ours, double theirs, double deviation) {
        countDistance(point, Math.abs(ours - theirs), ours, theirs, deviation);
    }

    /** Like {@link #near}, but ours may be smaller. */
    void atMost(String point, double ours, double theirs, double deviation) {
        countDistance(point, Math.max(0, ours - theirs), ours, theirs, deviation);
    }

    private void countDistance(
            String point, double distance, double ours, double theirs, double deviation) {
        boolean agrees = distance <= SIGMAS * deviation + FREE;
        count(point, agrees, distance / (deviation + FREE / SIGMAS), ours, theirs);
    }

    void report(BenchReport report) {
        report(report, report.name() + ".reference." + name, "points agree", "");
    }
}
