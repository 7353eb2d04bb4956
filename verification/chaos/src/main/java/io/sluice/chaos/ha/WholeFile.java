/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.ha;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Files that are there as a whole or not at all. */
final class WholeFile {
    /** Begins the name of a file that is being written. */
    static final String UNFINISHED = ".";

    private WholeFile() {}

    static void write(Path file, byte[] content) throws IOException {
        Files.createDirectories(file.getParent());
        Path unfinished =
                Files.createTempFile(file.getParent(), UNFINISHED, file.getFileName().toString());
        Files.write(unfinished, content);
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
