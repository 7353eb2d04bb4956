/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Where a figure was measured. Without it, numbers mean nothing a month later.
 *
 * @param cpu model name, or {@code unknown} if the system does not tell
 * @param cores processors that the JVM may use
 * @param memoryMegabytes physical memory, 0 if the system does not tell
 */
public record Machine(
        String cpu, int cores, long memoryMegabytes, long heapMegabytes, String java, String os) {

    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");
    private static final Path MEMORY_INFO = Path.of("/proc/meminfo");

    public static Machine thisOne() {
        Runtime runtime = Runtime.getRuntime();
        return new Machine(
                valueOf(CPU_INFO, "model name", "unknown"),
                runtime.availableProcessors(),
                Long.parseLong(valueOf(MEMORY_INFO, "MemTotal", "0 kB").replace(" kB", "")) / 1024,
                runtime.maxMemory() >> 20,
                System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
                System.getProperty("os.name") + " " + System.getProperty("os.version"));
    }

    /** Commit of the running checkout, with {@code +changes} if the tree differs from it. */
    public static String commit() {
        String home = System.getProperty("sluice.home", ".");
        String head = git(home, "rev-parse", "--short=12", "HEAD");
        if (head.isEmpty()) {
            return "unknown";
        }
        return git(home, "status", "--porcelain", "--untracked-files=no").isEmpty()
                ? head
                : head + "+changes";
    }

    private static String git(String directory, String... arguments) {
        try {
            ProcessBuilder builder = new ProcessBuilder("git", "-C", directory);
            builder.command().addAll(List.of(arguments));
            builder.redirectError(ProcessBuilder.Redirect.DISCARD);
            Process process = builder.start();
            String out =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                            .strip();
            return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0 ? out : "";
        } catch (IOException noGit) {
            return ""; // a source archive has no commit to name
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    private static String valueOf(Path file, String key, String otherwise) {
        if (!Files.isReadable(file)) {
            return otherwise;
        }
        try {
            for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
                int colon = line.indexOf(':');
                if (colon > 0 && line.substring(0, colon).strip().equals(key)) {
                    return line.substring(colon + 1).strip();
                }
            }
        } catch (IOException unreadable) {
            return otherwise;
        }
        return otherwise;
    }
}
