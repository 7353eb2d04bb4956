/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.format;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Writes golden files, and finds those that were written. */
public final class GoldenFile {

    private GoldenFile() {}

    /** Leaves an existing file alone: a released format is never written again. */
    public static void write(Path file, byte[] bytes) throws IOException {
        if (!Files.exists(file)) {
            Files.write(file, bytes, StandardOpenOption.CREATE_NEW);
        }
    }

    /**
     * The bytes of a file.
     *
     * @param name below {@code golden}, such as {@code cuckoo/v2-word.bin}
     */
    public static byte[] read(String name) {
        try (InputStream in = GoldenFile.class.getResourceAsStream("/golden/" + name)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
