/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.format;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * Files in a stored format, below {@code golden} in the test resources. A released format is never
 * written again, and so an existing file is never changed: a new version of a format gets files
 * with new names. Tests that run with {@code -Dgolden.write=true} write those that do not exist yet
 * into {@code src/test/resources}; the next run reads them.
 */
public final class GoldenFile {
    private static final String WRITE = "golden.write";
    private static final String FOLDER = "golden/";

    private GoldenFile() {}

    /**
     * Returns the bytes of a file.
     *
     * @param name below {@code golden}, such as {@code cuckoo/v2-word.bin}; with {@code .gz} at its
     *     end, the file is stored compressed
     */
    public static byte[] read(String name) {
        try (InputStream in = GoldenFile.class.getResourceAsStream("/" + FOLDER + name)) {
            if (in == null) {
                throw new AssertionError(
                        "there is no golden file "
                                + name
                                + ": run with -D"
                                + WRITE
                                + "=true first");
            }
            return isCompressed(name) ? new GZIPInputStream(in).readAllBytes() : in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Asserts that the bytes that are written today are those of the file. */
    public static void assertStillWritten(String name, byte[] now) {
        if (writes(name)) {
            writeMissing(name, now);
            return;
        }
        byte[] golden = read(name);
        int at = Arrays.mismatch(golden, now);
        if (at >= 0) {
            throw new AssertionError(
                    name
                            + " of "
                            + golden.length
                            + " bytes is written differently today, as "
                            + now.length
                            + " bytes, from offset "
                            + at);
        }
    }

    private static boolean isCompressed(String name) {
        return name.endsWith(".gz");
    }

    private static boolean writes(String name) {
        return Boolean.getBoolean(WRITE)
                && GoldenFile.class.getResource("/" + FOLDER + name) == null;
    }

    /** Writes a file that does not exist, if the run was asked to. */
    public static void writeMissing(String name, byte[] now) {
        Path file = Path.of("src/test/resources", FOLDER, name);
        if (!writes(name) || Files.exists(file)) {
            return;
        }
        try {
            Files.createDirectories(file.getParent());
            OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW);
            try (OutputStream into = isCompressed(name) ? new GZIPOutputStream(out) : out) {
                into.write(now);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
