/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.storage.CrashableDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;

/**
 * What is in the golden files. {@link #main} wrote them once: a released format is never written
 * again, so existing files are left alone.
 */
final class GoldenFiles {

    static final String EVEN = "v1-even.bin";
    static final String TOMBSTONES = "v1-tombstones.bin";
    static final String EMPTY = "v1-empty.bin";

    static final String[] NAMES = {EVEN, TOMBSTONES, EMPTY};

    private GoldenFiles() {}

    static int hashBits(String name) {
        return name.equals(TOMBSTONES) ? 47 : 20;
    }

    static long[] entries(String name) {
        SplittableRandom random = new SplittableRandom(20261122);
        if (name.equals(EVEN)) {
            return RandomEntries.even(random, 4_000, hashBits(name), 3, 16);
        }
        if (name.equals(TOMBSTONES)) {
            long[] entries = RandomEntries.skewed(random, 1_200, hashBits(name), 1_000);
            return RandomEntries.withTombstones(random, entries, 0.3);
        }
        return new long[0];
    }

    static byte[] write(String name) throws IOException {
        CrashableDirectory directory = new CrashableDirectory();
        LevelFileOptions options = LevelFileOptions.ofHashBits(hashBits(name));
        LevelFiles.write(directory, name, entries(name), options);
        return directory.bytes(name);
    }

    /** Writes the golden files into the directory of the first argument. */
    public static void main(String[] args) throws IOException {
        for (String name : NAMES) {
            Files.write(Path.of(args[0], name), write(name), StandardOpenOption.CREATE_NEW);
        }
    }
}
