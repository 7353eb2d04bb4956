/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Check;
import io.sluice.bench.report.CsvTable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Holds our numbers against those of an independent implementation, read from a directory of
 * tables: counted errors within five standard errors of both sides, formulas within the digits that
 * the tables have.
 */
final class KbfReference {

    private static final String FIRST = "kbf_closed_form.csv";
    private static final double SIGMAS = 5;

    /** So many hits more or less are always allowed: with few the distribution is skewed. */
    private static final double FREE_HITS = 3;

    private final Path directory;

    private KbfReference(Path directory) {
        this.directory = directory;
    }

    /**
     * The tables to compare with: the argument, else environment SLUICE_REFERENCE, else a folder
     * {@code shared/data/reference} beside the checkout.
     *
     * @throws IllegalArgumentException if a directory was named and has no tables
     */
    static Optional<KbfReference> find(Path argument) {
        String environment = System.getenv("SLUICE_REFERENCE");
        boolean fromEnvironment = environment != null && !environment.isEmpty();
        if (argument != null || fromEnvironment) {
            Path named = argument != null ? argument : Path.of(environment);
            if (!Files.isReadable(named.resolve(FIRST))) {
                throw new IllegalArgumentException(
                        "--reference "
                                + named
                                + " has no readable "
                                + FIRST
                                + ": name the directory with the reference tables, or leave the"
                                + " option out");
            }
            return Optional.of(new KbfReference(named));
        }
        Path beside =
                Path.of(System.getProperty("sluice.home", "."))
                        .toAbsolutePath()
                        .normalize()
                        .resolve("../shared/data/reference")
                        .normalize();
        return Files.isReadable(beside.resolve(FIRST))
                ? Optional.of(new KbfReference(beside))
                : Optional.empty();
    }

    CsvTable table(String file) throws IOException {
        Path path = directory.resolve(file);
        List<String> lines = new ArrayList<>();
        for (String line : Files.readAllLines(path, StandardCharsets.UTF_8)) {
            // One name has a comma in it, and the tables have no quotes.
            lines.add(line.replace("(paper,c<=2)", "(paper)"));
        }
        return CsvTable.parse(path, lines);
    }

    /** Counts agreeing numbers of one table and remembers the worst. */
    static final class Tally {
        private final String name;
        private int points;
        private int disagreeing;
        private double worst;
        private String worstAt = "";

        Tally(String name) {
            this.name = name;
        }

        /**
         * Shares of errors, counted by both sides.
         *
         * @param ourSample what ours is a share of; infinite for an exact probability
         * @param theirSample what theirs is a share of
         */
        void share(String point, double ours, double ourSample, double theirs, double theirSample) {
            // Errors come in twos where keys share cells: twice the binomial variance.
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

        /** Counts that must be equal. */
        void equal(String point, double ours, double theirs) {
            count(point, ours == theirs, ours == theirs ? 0 : SIGMAS + 1, ours, theirs);
        }

        private void count(String point, boolean agrees, double score, double ours, double theirs) {
            points++;
            disagreeing += agrees ? 0 : 1;
            if (score > worst || (!agrees && disagreeing == 1)) {
                worst = score;
                worstAt =
                        String.format(Locale.ROOT, " (%s: %.4g against %.4g)", point, ours, theirs);
            }
        }

        void report(BenchReport report) {
            report.add(
                    new Check(
                            "kbf.reference." + name,
                            disagreeing == 0 && points > 0,
                            String.format(
                                    Locale.ROOT,
                                    "%d of %d numbers agree; worst score %.2f%s",
                                    points - disagreeing,
                                    points,
                                    worst,
                                    worstAt)));
        }
    }
}
