/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Check;
import io.sluice.bench.report.CsvTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * Holds our points against those of an independent implementation, read from a directory of tables.
 * Measured points must agree within five standard errors of both sides together, formulas within
 * the four digits that the tables have.
 */
final class ReferenceComparison {
    /** Points are many (about 700), so four would fail by chance once in twenty runs. */
    private static final double SIGMAS = 5;

    /**
     * With an expectation of a few hits the distribution is skewed: that many hits are always
     * allowed.
     */
    private static final double FREE_HITS = 3;

    private static final double ROUNDING = 6e-4;

    /**
     * Our filter checks before it inserts and drops what it takes for a duplicate; the reference
     * inserts everything. Below this probability of a drop the difference cannot be seen.
     */
    static final double FEW_DROPPED = 0.01;

    /** How the reference splits the probes of a point over fillings of the filter. */
    static final long PROBES_A_FILLING = 200_000;

    private final Path directory;

    private ReferenceComparison(Path directory) {
        this.directory = directory;
    }

    /**
     * The tables to compare with: the argument, else environment SLUICE_REFERENCE, else a folder
     * {@code shared/data/reference} beside the checkout.
     *
     * @throws IllegalArgumentException if a directory was named and has no tables
     */
    static Optional<ReferenceComparison> find(Path argument) {
        String environment = System.getenv("SLUICE_REFERENCE");
        Path named =
                argument != null
                        ? argument
                        : environment == null || environment.isEmpty()
                                ? null
                                : Path.of(environment);
        if (named != null) {
            if (!Files.isReadable(named.resolve("fbf_fig8_fig9.csv"))) {
                throw new IllegalArgumentException(
                        "--reference "
                                + named
                                + " has no readable fbf_fig8_fig9.csv: name the"
                                + " directory with the reference tables, or leave the option out");
            }
            return Optional.of(new ReferenceComparison(named));
        }
        Path beside =
                Path.of(System.getProperty("sluice.home", "."))
                        .toAbsolutePath()
                        .normalize()
                        .resolve("../shared/data/reference")
                        .normalize();
        return Files.isReadable(beside.resolve("fbf_fig8_fig9.csv"))
                ? Optional.of(new ReferenceComparison(beside))
                : Optional.empty();
    }

    CsvTable table(String file) throws IOException {
        return CsvTable.read(directory.resolve(file));
    }

    /** Starts the comparison of one figure. */
    Tally tally(String name) {
        return new Tally(name);
    }

    /** Counts agreeing points of one figure and remembers the worst. */
    static final class Tally {
        private final String name;
        private int points;
        private int disagreeing;
        private double worst;
        private String worstAt = "";
        private double squares;
        private int scored;

        private Tally(String name) {
            this.name = name;
        }

        /**
         * @param theirs measured by the other side with {@code probes} probes in {@code
         *     realisations} fillings
         */
        void measured(
                String point,
                MonteCarlo.Estimate ours,
                double theirs,
                long probes,
                int realisations) {
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
            boolean agrees =
                    Math.abs(ours.mean() - theirs) <= SIGMAS * deviation + FREE_HITS / probes;
            if (p * probes > 30) {
                squares += score * score;
                scored++;
            }
            count(point, agrees, score, ours.mean(), theirs);
        }

        /** A formula, within rounding. */
        void formula(String point, double ours, double theirs) {
            formula(point, ours, ours, theirs);
        }

        /**
         * A formula whose input has elements that arrive exactly at a boundary of time: either side
         * of it is right, so anything between the two results agrees.
         */
        void formula(String point, double low, double high, double theirs) {
            double slack = ROUNDING * Math.abs(theirs) + 1e-15;
            double distance = Math.max(0, Math.max(low - theirs, theirs - high));
            count(point, distance <= slack, distance / slack, low, theirs);
        }

        /** Counts that must be equal. */
        void equal(String point, long ours, long theirs) {
            count(
                    point,
                    ours == theirs,
                    ours == theirs ? 0 : SIGMAS + 1,
                    (double) ours,
                    (double) theirs);
        }

        private void count(String point, boolean agrees, double score, double ours, double theirs) {
            points++;
            if (!agrees) {
                disagreeing++;
            }
            if (score > worst || (!agrees && disagreeing == 1)) {
                worst = score;
                worstAt = String.format(Locale.ROOT, "%s: %.4g against %.4g", point, ours, theirs);
            }
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
            report.add(
                    new Check(
                            "fbf.reference." + name,
                            disagreeing == 0 && points > 0,
                            String.format(
                                    Locale.ROOT,
                                    "%d of %d points agree; worst score %.2f (%s)%s",
                                    points - disagreeing,
                                    points,
                                    worst,
                                    worstAt,
                                    spread)));
        }
    }
}
