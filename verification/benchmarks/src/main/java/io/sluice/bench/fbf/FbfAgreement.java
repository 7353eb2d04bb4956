/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.Agreement;
import java.util.Locale;

/**
 * Compares the points of one figure with those of an independent implementation: measurements must
 * agree within five standard errors of both sides together, formulas within the four digits of the
 * tables. Points are many (about 700), so four standard errors would fail by chance once in twenty
 * runs.
 */
final class FbfAgreement extends Agreement {
    /** With few expected hits the distribution is skewed: this many hits are always allowed. */
    private static final double FREE_HITS = 3;

    private static final double ROUNDING = 6e-4;

    /**
     * Our filter checks before it inserts and drops what it takes for a duplicate; the reference
     * inserts everything. Below this probability of a drop the difference cannot be seen.
     */
    static final double FEW_DROPPED = 0.01;

    /** How the reference divides a point's probes among fillings of the filter. */
    static final long PROBES_A_FILLING = 200_000;

    private final String name;
    private double squares;
    private int scored;

    FbfAgreement(String name) {
        this.name = name;
    }

    /**
     * @param theirs measured by the other side with {@code probes} probes in {@code realisations}
     *     fillings
     */
    void measured(
            String point, MonteCarlo.Estimate ours, double theirs, long probes, int realisations) {
        double p = Math.max(ours.mean(), 0.5 / ours.probes());
        double binomial = p * (1 - p);
        double between =
                Math.max(0, ours.variance() - binomial * ours.realisations() / ours.probes());
        double deviation =
                Math.sqrt(
                        Math.max(Math.pow(ours.standardError(), 2), binomial / ours.probes())
                                + binomial / probes
                                + between / realisations);
        double score = Math.abs(ours.mean() - theirs) / deviation;
        boolean agrees = Math.abs(ours.mean() - theirs) <= SIGMAS * deviation + FREE_HITS / probes;
        if (p * probes > 30) {
            squares += score * score;
            scored++;
        }
        count(point, agrees, score, ours.mean(), theirs);
    }

    /** A formula, up to rounding. */
    void formula(String point, double ours, double theirs) {
        formula(point, ours, ours, theirs);
    }

    /**
     * A formula whose input has elements that arrive exactly at a time boundary: either side is
     * right, so anything between the two results agrees.
     */
    void formula(String point, double low, double high, double theirs) {
        double slack = ROUNDING * Math.abs(theirs) + 1e-15;
        double distance = Math.max(0, Math.max(low - theirs, theirs - high));
        count(point, distance <= slack, distance / slack, low, theirs);
    }

    void report(BenchReport report) {
        String spread =
                scored == 0
                        ? ""
                        : String.format(
                                Locale.ROOT,
                                "; rms score %.2f of %d well-filled points",
                                Math.sqrt(squares / scored),
                                scored);
        report(report, "fbf.reference." + name, "points agree", spread);
    }
}
