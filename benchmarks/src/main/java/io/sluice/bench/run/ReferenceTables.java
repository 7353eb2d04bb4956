/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.run;

import io.sluice.bench.report.CsvTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A directory of tables that an independent implementation wrote, to compare with. */
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
     * @param file one that must be there
     * @throws IllegalArgumentException if a directory was named and has no such file
     */
    public static Optional<ReferenceTables> find(Path argument, String file) {
        String environment = System.getenv("SLUICE_REFERENCE");
        boolean inEnvironment = environment != null && !environment.isEmpty();
        if (argument != null || inEnvironment) {
            Path named = argument != null ? argument : Path.of(environment);
            if (!Files.isReadable(named.resolve(file))) {
                throw new IllegalArgumentException(
                        "--reference "
                                + named
                                + " has no readable "
                                + file
                                + ": name the directory with the reference tables, or leave the"
                                + " option out");
            }
            return Optional.of(new ReferenceTables(named));
        }
        Path beside =
                Path.of(System.getProperty("sluice.home", "."))
                        .toAbsolutePath()
                        .resolve("../shared/data/reference")
                        .normalize();
        return Files.isReadable(beside.resolve(file))
                ? Optional.of(new ReferenceTables(beside))
                : Optional.empty();
    }

    public CsvTable table(String file) throws IOException {
        return CsvTable.read(directory.resolve(file));
    }
}
