/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.soak.SoakIds.Kind;

/** Whether every record became what it has to, by the numbers alone. */
final class SoakCounts {
    private SoakCounts() {}

    /**
     * Checks the counts of a job.
     *
     * @param counts as {@link SoakTally} has them
     */
    static void check(BenchReport report, SoakJob job, SoakIds ids, long emitted, long... counts) {
        boolean whole = true;
        for (Kind kind : Kind.values()) {
            long arrived = counts[SoakTally.passed(kind)] + counts[SoakTally.denied(kind)];
            whole &= arrived == ids.count(kind, emitted);
        }
        report.check(job.id() + ": each record once", whole, "%,d were emitted", emitted);
        long comebacks = ids.count(Kind.COMEBACK, emitted);
        long fresh = ids.count(Kind.FIRST, emitted) + comebacks;
        // Of these alone, too: ids that are held for too long should not hide among the others.
        long cameBack = counts[SoakTally.denied(Kind.COMEBACK)];
        long dropped = counts[SoakTally.denied(Kind.FIRST)] + cameBack;
        report.check(
                job.id() + ": first occurrences dropped",
                dropped <= most(fresh) && cameBack <= most(comebacks),
                "%,d of %,d, %.2e of them; at p = %.0e no more than %,.0f; %,d that came back after"
                        + " their window, no more than %,.0f",
                dropped,
                fresh,
                (double) dropped / fresh,
                SoakJob.FPP,
                most(fresh),
                cameBack,
                most(comebacks));
        // Where most repeats came too late, those that were denied show little.
        long late = counts[SoakTally.EXPIRED];
        long missed = counts[SoakTally.MISSED];
        report.check(
                job.id() + ": duplicates passed",
                missed == 0 && counts[SoakTally.denied(Kind.REPEAT)] > late,
                "%,d of %,d; besides, %,d whose first was dropped, %,d that came after the"
                        + " lifetime",
                missed,
                ids.count(Kind.REPEAT, emitted),
                counts[SoakTally.EXCUSED],
                late);
    }

    /** Five standard deviations above the mean is never chance. */
    private static double most(long fresh) {
        double mean = SoakJob.FPP * fresh;
        return Math.ceil(mean + 5 * Math.sqrt(mean));
    }
}
