/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.ccf;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.Agreement;

/**
 * The points of one table against those of an independent implementation: they agree within five
 * standard errors of both sides together; where ours is made to be better, it must not be worse by
 * more.
 */
final class Tally extends Agreement {
    /** Counts of a few are skewed: so many are always allowed. */
    private static final double FREE = 3;

    private final String name;

    Tally(String name) {
        this.name = name;
    }

    /**
     * Both measured: near each other within {@code deviation}, the standard error of the
     * difference.
     */
    void near(String point, double ours, double theirs, double deviation) {
        countDistance(point, Math.abs(ours - theirs), ours, theirs, deviation);
    }

    /** As {@link #near}, but ours may be less. */
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
