/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.ccf;

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
 * Points agree within five standard errors of both sides together; where ours is made to be better,
 * it must not be worse by more.
 */
final class ReferenceTables {
    private static final String MARK = "ccf_sync_accuracy.csv";
    private static final double SIGMAS = 5;

    /** Counts of a few are skewed: so many are always allowed. */
    private static final double FREE = 3;

    private final Path directory;

    private ReferenceTables(Path directory) {
        this.directory = directory;
    }

    /**
     * The tables to compare with: the argument, else environment SLUICE_REFERENCE, else a folder
     * {@code shared/data/reference} beside the checkout.
     *
     * @throws IllegalArgumentException if a directory was named and has no tables
     */
    static Optional<ReferenceTables> find(Path argument) {
        String environment = System.getenv("SLUICE_REFERENCE");
        Path named =
                argument == null && environment != null && !environment.isEmpty()
                        ? Path.of(environment)
                        : argument;
        if (named != null && !Files.isReadable(named.resolve(MARK))) {
            throw new IllegalArgumentException(
                    "--reference "
                            + named
                            + " has no readable "
                            + MARK
                            + ": name the directory with the reference tables, or leave the option"
                            + " out");
        }
        Path directory =
                named != null
                        ? named
                        : Path.of(System.getProperty("sluice.home", "."))
                                .toAbsolutePath()
                                .normalize()
                                .resolve("../shared/data/reference")
                                .normalize();
        return Files.isReadable(directory.resolve(MARK))
                ? Optional.of(new ReferenceTables(directory))
                : Optional.empty();
    }

    CsvTable table(String file) throws IOException {
        return CsvTable.read(directory.resolve(file));
    }

    /** Counts agreeing points of one table and remembers the worst. */
    static final class Tally {
        private final String name;
        private int points;
        private int disagreeing;
        private double worst;
        private String worstAt = "";

        Tally(String name) {
            this.name = name;
        }

        /** Both measured: equal within {@code deviation}, the standard error of the difference. */
        void equal(String point, double ours, double theirs, double deviation) {
            count(point, Math.abs(ours - theirs), ours, theirs, deviation);
        }

        /** As {@link #equal}, but ours may be less. */
        void atMost(String point, double ours, double theirs, double deviation) {
            count(point, Math.max(0, ours - theirs), ours, theirs, deviation);
        }

        private void count(
                String point, double distance, double ours, double theirs, double deviation) {
            points++;
            boolean agrees = distance <= SIGMAS * deviation + FREE;
            double score = distance / (deviation + FREE / SIGMAS);
            disagreeing += agrees ? 0 : 1;
            if (score > worst) {
                worst = score;
                worstAt = String.format(Locale.ROOT, "%s: %.4g against %.4g", point, ours, theirs);
            }
        }

        void report(BenchReport report) {
            report.add(
                    new Check(
                            "ccf.reference." + name,
                            disagreeing == 0 && points > 0,
                            String.format(
                                    Locale.ROOT,
                                    "%d of %d points agree; worst score %.2f (%s)",
                                    points - disagreeing,
                                    points,
                                    worst,
                                    worstAt)));
        }
    }
}
