/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import java.nio.file.Path;

/** Where the log goes. The console is for progress and results. */
final class Logging {
    /** System property that {@code log4j2.properties} reads. */
    private static final String PROPERTY = "sluice.log";

    private static final String FILE_NAME = "sluice.log";

    private Logging() {}

    /**
     * Sends the log to a file in {@code folder}. Only before the first logger exists; the file
     * appears with the first line. A file that the user has configured stays.
     */
    static void into(Path folder) {
        if (System.getProperty(PROPERTY) == null) {
            System.setProperty(PROPERTY, folder.resolve(FILE_NAME).toString());
        }
    }

    /** The log file, which may not exist yet. */
    static Path file() {
        String named = System.getProperty(PROPERTY);
        return named == null
                ? Path.of(System.getProperty("java.io.tmpdir"), FILE_NAME)
                : Path.of(named);
    }
}
