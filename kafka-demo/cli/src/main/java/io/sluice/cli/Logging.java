/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;

/** Where the log goes. The console is for progress and results. */
final class Logging {
    /** System property that {@code log4j2.properties} reads. */
    private static final String PROPERTY = "sluice.log";

    private static final boolean BY_USER = System.getProperty(PROPERTY) != null;

    private static final String FILE_NAME = "sluice.log";

    private Logging() {}

    /**
     * Sends the log to a file of this user and this run, among the temporary ones. Only before the
     * first logger exists; the file appears with the first line. A file that the user has
     * configured stays.
     */
    static void intoOwnFile() {
        String run =
                DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss")
                                .format(LocalDateTime.now(ZoneId.systemDefault()))
                        + "-"
                        + ProcessHandle.current().pid();
        into(
                Path.of(
                        System.getProperty("java.io.tmpdir"),
                        "sluice-" + System.getProperty("user.name"),
                        run));
    }

    /** Like {@link #intoOwnFile}, in {@code folder}. */
    static void into(Path folder) {
        if (!BY_USER) {
            System.setProperty(PROPERTY, folder.resolve(FILE_NAME).toString());
        }
    }

    /** The log file, which may not exist. */
    static Path file() {
        String named = System.getProperty(PROPERTY);
        return named == null
                ? Path.of(System.getProperty("java.io.tmpdir"), FILE_NAME)
                : Path.of(named);
    }
}
