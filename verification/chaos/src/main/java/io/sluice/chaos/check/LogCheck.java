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
 * What no log of a process may have: that it ran out of memory, or that a task took it down. It is
 * started again, and its jobs recover, so no result shows either.
 */
public final class LogCheck {
    private static final Pattern LOG =
            Pattern.compile("(broker|jobmanager|taskmanager-\\d+)\\.log");
    private static final String NO_MEMORY = "java.lang.OutOfMemoryError";

    /** What Flink logs before it ends a TaskManager because a task could not be closed. */
    private static final String NOT_CLOSED = "ERROR Task - FATAL - exception in";

    /** The writer of a table, {@code orders[5]: Writer}, is Flink's own, and may do that. */
    private static final String TABLE_WRITER = "]: Writer";

    private static final int LONG_ENOUGH = 120;

    private LogCheck() {}

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
        boolean outOfMemory = false;
        boolean taskTookItDown = false;
        // Bytes of any encoding are lines.
        try (BufferedReader lines = Files.newBufferedReader(log, StandardCharsets.ISO_8859_1)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!outOfMemory && line.contains(NO_MEMORY)) {
                    outOfMemory = true;
                    verdict.broken("a process ran out of memory", example(log, line));
                }
                if (!taskTookItDown && line.contains(NOT_CLOSED) && !line.contains(TABLE_WRITER)) {
                    taskTookItDown = true;
                    verdict.broken("a task took its TaskManager down", example(log, line));
                }
            }
        }
    }

    private static String example(Path log, String line) {
        return log.getFileName() + ": " + line.substring(0, Math.min(line.length(), LONG_ENOUGH));
    }
}
