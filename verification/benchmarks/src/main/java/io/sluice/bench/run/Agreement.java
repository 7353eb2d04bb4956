/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.run;

import io.sluice.bench.report.BenchReport;
import java.util.Locale;

/**
 * Counts points that agree with a formula or an independent implementation, and remembers the
 * worst. The caller decides what agrees. If there are no points, the check fails.
 */
public class Agreement {
    /** Standard errors within which measured points agree. */
    public static final double SIGMAS = 5;

    private int points;
    private int disagreeing;
    private double worst;
    private String worstAt = "";

    /**
     * A point that agrees or not.
     *
     * @param score distance in units of the usual distance, to find the worst point
     */
    public final void count(
            String point, boolean agrees, double score, double ours, double theirs) {
        points++;
        disagreeing += agrees ? 0 : 1;
        if (score > worst || (!agrees && disagreeing == 1)) {
            worst = score;
            worstAt = String.format(Locale.ROOT, " (%s: %.4g against %.4g)", point, ours, theirs);
        }
    }

    /** A measured point, at a distance of this many standard errors. */
    public final void count(String point, double sigmas, double ours, double theirs) {
        count(point, sigmas <= SIGMAS, sigmas, ours, theirs);
    }

    /** Numbers that must be equal. */
    public final void equal(String point, double ours, double theirs) {
        count(point, ours == theirs, ours == theirs ? 0 : SIGMAS + 1, ours, theirs);
    }

    /** Counts that must be equal. */
    public final void equal(String point, long ours, long theirs) {
        count(
                point,
                ours == theirs,
                ours == theirs ? 0 : SIGMAS + 1,
                (double) ours,
                (double) theirs);
    }

    /**
     * Adds a check of all points to {@code report}.
     *
     * @param claim the predicate of the points that agree, such as {@code points agree}
     * @param note appended
     */
    public final void report(BenchReport report, String check, String claim, String note) {
        report.check(
                check,
                disagreeing == 0 && points > 0,
                "%d of %d %s; worst score %.2f%s%s",
                points - disagreeing,
                points,
                claim,
                worst,
                worstAt,
                note);
    }
}
