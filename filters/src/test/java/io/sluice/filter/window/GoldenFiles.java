/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.window;

import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Wrote the golden files, once: a released format is never written again, so existing files are
 * left alone. A new version gets new names. Argument: the folder.
 */
final class GoldenFiles {

    static final long IDS = 3_000;
    static final long CLOCK = 2_500;

    /** Ids are their timestamps; the window is 1000. */
    static final long FIRST_HELD = CLOCK - 1_000;

    private GoldenFiles() {}

    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]));
        write(folder.resolve("v3-window-blocked.bin"), Layout.BLOCKED);
        write(folder.resolve("v3-window-fingerprints.bin"), Layout.FINGERPRINTS);
        write(folder.resolve("v3-window-quotient.bin"), Layout.QUOTIENT);
    }

    private static void write(Path file, Layout layout) throws IOException {
        WindowedFilter window =
                WindowedFilter.create(
                        WindowOptions.builder()
                                .windowMillis(1_000)
                                .falsePositiveProbability(1e-3)
                                .layout(layout)
                                .clockOfCaller()
                                .build(),
                        new MemoryBudget(1 << 20),
                        0);
        for (long id = 0; id < IDS; id++) {
            window.record(Hashing.hash(id), id);
            window.advanceTo(Math.min(id, CLOCK));
        }
        try (OutputStream out = create(file)) {
            window.writeTo(out);
        }
    }

    private static OutputStream create(Path file) throws IOException {
        return Files.newOutputStream(file, StandardOpenOption.CREATE_NEW);
    }
}
