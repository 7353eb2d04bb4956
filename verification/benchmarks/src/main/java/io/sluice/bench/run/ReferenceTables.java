/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.run;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.CsvTable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A directory of tables from an independent implementation, to compare with. */
public final class ReferenceTables {
    private final Path directory;

    private ReferenceTables(Path directory) {
        this.directory = directory;
    }

    /**
     * The tables to compare with: the argument, else environment SLUICE_REFERENCE, else a folder
     * {@code shared/data/reference} beside the checkout.
     *
     * @param argument null if none was given
     * @param file a file that must be there
     * @throws IllegalArgumentException if a directory was named and has no such file
     */
    public static Optional<ReferenceTables> find(Path argument, String file) {
        return DataFolder.find(argument, "SLUICE_REFERENCE", "reference", file)
                .map(ReferenceTables::new);
    }

    /** Prints as progress that there is nothing to compare with, if there is not. */
    public static void tellIfMissing(Optional<ReferenceTables> tables, BenchReport report) {
        if (tables.isEmpty()) {
            report.progress(
                    "no reference tables: the comparison is skipped (--reference DIR or"
                            + " SLUICE_REFERENCE)");
        }
    }

    /** One of the tables. */
    public CsvTable table(String file) throws IOException {
        Path path = directory.resolve(file);
        List<String> lines = new ArrayList<>();
        for (String line : Files.readAllLines(path, StandardCharsets.UTF_8)) {
            // One name contains a comma, and the tables have no quotes.
            lines.add(line.replace("(paper,c<=2)", "(paper)"));
        }
        return CsvTable.parse(path, lines);
    }
}
