/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.check;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Whether a process of the cluster ran out of memory, by its log. It is started again, and its jobs
 * recover, so no result shows that something leaks.
 */
public final class MemoryCheck {
    private static final Pattern LOG =
            Pattern.compile("(broker|jobmanager|taskmanager-\\d+)\\.log");
    private static final String ERROR = "java.lang.OutOfMemoryError";
    private static final int LONG_ENOUGH = 120;

    private MemoryCheck() {}

    /** Judges the processes whose logs are in {@code folder}. */
    public static void judge(Path folder, CheckResult verdict) throws IOException {
        List<Path> logs;
        try (Stream<Path> files = Files.list(folder)) {
            logs =
                    files.filter(file -> LOG.matcher(file.getFileName().toString()).matches())
                            .sorted()
                            .toList();
        }
        if (logs.isEmpty()) {
            throw new IOException("no process has a log in " + folder);
        }
        for (Path log : logs) {
            judgeOne(log, verdict);
        }
    }

    private static void judgeOne(Path log, CheckResult verdict) throws IOException {
        // Bytes of any encoding are lines.
        try (BufferedReader lines = Files.newBufferedReader(log, StandardCharsets.ISO_8859_1)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.contains(ERROR)) {
                    verdict.broken(
                            "a process ran out of memory",
                            log.getFileName()
                                    + ": "
                                    + line.substring(0, Math.min(line.length(), LONG_ENOUGH)));
                    return;
                }
            }
        }
    }
}
