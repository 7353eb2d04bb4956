/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.annotation.Nullable;

/**
 * The library that steps the wall clock of a process in which it is preloaded: libfaketime.
 *
 * @param library the one for programs with threads
 * @param isGiven whether the user named it
 */
public record FakeTime(Path library, boolean isGiven) {
    /** What to install where it is missing. */
    public static final String REMEDY =
            "install the package 'faketime' (Debian, Ubuntu) or 'libfaketime' (Fedora, Alpine),"
                    + " or name libfaketimeMT.so.1 with --faketime";

    private static final String NAME = "libfaketimeMT.so.1";
    private static final List<Path> ROOTS =
            List.of(Path.of("/usr/lib"), Path.of("/usr/lib64"), Path.of("/usr/local/lib"));

    private static final Duration PROBE_STEP = Duration.ofHours(1);
    private static final Duration PROBE_LIMIT = Duration.ofSeconds(60);

    /**
     * The library that is named, or one where packages put it.
     *
     * @throws IllegalArgumentException if there is none of that name
     */
    public static Optional<FakeTime> find(@Nullable Path named) throws IOException {
        return find(named, ROOTS);
    }

    static Optional<FakeTime> find(@Nullable Path named, List<Path> roots) throws IOException {
        if (named != null) {
            if (!Files.isRegularFile(named)) {
                throw new IllegalArgumentException(
                        "--faketime " + named + " is not a file: name libfaketimeMT.so.1");
            }
            return Optional.of(new FakeTime(named.toAbsolutePath(), true));
        }
        for (Path root : roots) {
            Optional<Path> library = in(root);
            if (library.isPresent()) {
                return library.map(path -> new FakeTime(path, false));
            }
        }
        return Optional.empty();
    }

    /** In {@code faketime}, or, where there are several architectures, in one of their folders. */
    private static Optional<Path> in(Path root) throws IOException {
        Path direct = root.resolve("faketime").resolve(NAME);
        if (Files.isRegularFile(direct)) {
            return Optional.of(direct);
        }
        if (Files.isDirectory(root)) {
            String architecture =
                    System.getProperty("os.arch").equals("aarch64") ? "aarch64" : "x86_64";
            try (DirectoryStream<Path> folders =
                    Files.newDirectoryStream(root, architecture + "-linux-*")) {
                for (Path folder : folders) {
                    Path library = folder.resolve("faketime").resolve(NAME);
                    if (Files.isRegularFile(library)) {
                        return Optional.of(library);
                    }
                }
            }
        }
        return Optional.empty();
    }

    /**
     * What a process is started with so that {@code offset}, a file, says how wrong its clock is.
     */
    Map<String, String> environment(Path offset) {
        return Map.of(
                "LD_PRELOAD",
                library.toString(),
                "FAKETIME_TIMESTAMP_FILE",
                offset.toString(),
                // The file is read when the second changes.
                "FAKETIME_CACHE_DURATION",
                "0",
                "FAKETIME_DONT_FAKE_MONOTONIC",
                "1",
                // Without this, 0.9.10 lets timed waits of a JVM return at once.
                "FAKETIME_FORCE_MONOTONIC_FIX",
                "0",
                "NO_FAKE_STAT",
                "1");
    }

    /**
     * Makes sure that a JVM under it has another wall clock, and that it can wait.
     *
     * @throws IOException if not, with what to do
     */
    public void check() throws IOException, InterruptedException {
        Path offset = Files.createTempFile("sluice-clock", "");
        try {
            Clocks.write(offset, PROBE_STEP);
            Clocks.Probe probe = probe(offset);
            long stepMillis = probe.wallMillis() - System.currentTimeMillis();
            if (stepMillis < PROBE_STEP.toMillis() / 2
                    || probe.waitedMillis() < Clocks.WAIT_MILLIS / 2) {
                throw new IOException(
                        library
                                + " does not suit this JVM: its clock was "
                                + stepMillis
                                + " ms ahead instead of "
                                + PROBE_STEP.toMillis()
                                + ", and a wait of "
                                + Clocks.WAIT_MILLIS
                                + " ms took "
                                + probe.waitedMillis()
                                + ": use libfaketime 0.9.10 or newer");
            }
        } finally {
            Files.deleteIfExists(offset);
        }
    }

    private Clocks.Probe probe(Path offset) throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                FlinkHome.ownClasses(),
                                ClockProbe.class.getName())
                        .redirectErrorStream(true);
        builder.environment().putAll(environment(offset));
        Process process = builder.start();
        try {
            process.getOutputStream().close();
            boolean ended = process.waitFor(PROBE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            String said =
                    ended
                            ? new String(
                                    process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                            : "nothing for " + PROBE_LIMIT.toSeconds() + " s";
            return Clocks.Probe.parse(said)
                    .orElseThrow(
                            () ->
                                    new IOException(
                                            "a JVM with "
                                                    + library
                                                    + " preloaded does not work; it said "
                                                    + said.strip()
                                                    + ": "
                                                    + REMEDY));
        } finally {
            process.destroyForcibly();
        }
    }
}
