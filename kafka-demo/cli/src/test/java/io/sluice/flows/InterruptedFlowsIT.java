/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flows;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.capture.traffic.LoadGenerator;
import io.sluice.capture.traffic.LoadOptions;
import io.sluice.cli.Sluice;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluice flows} that is interrupted in the middle of a capture. */
class InterruptedFlowsIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int SIGTERM = 143;

    @TempDir private Path folder;

    @Test
    @Timeout(240)
    void olderResultsStayAndNothingElse() throws Exception {
        Path capture = folder.resolve("whole.pcap");
        LoadGenerator.write(LoadOptions.builder(2_000).build(), capture);
        byte[] bytes = Files.readAllBytes(capture);
        // A pipe that does not end: the run is in the middle for as long as the test wants.
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        Path out = Files.createDirectory(folder.resolve("out"));
        Path older = Files.writeString(out.resolve("flows.jsonl"), "older\n");
        Process run = start(pipe, out);
        try (OutputStream packets = Files.newOutputStream(pipe)) {
            packets.write(bytes, 0, bytes.length / 2);
            packets.flush();
            awaitWork(run, out);

            run.destroy();
            assertThat(run.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } finally {
            run.destroyForcibly();
        }

        assertThat(run.exitValue()).isEqualTo(SIGTERM);
        assertThat(older).hasContent("older\n");
        try (Stream<Path> left = Files.list(out)) {
            assertThat(left).containsExactly(older);
        }
    }

    private Process start(Path capture, Path out) throws Exception {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--add-opens=java.base/java.util=ALL-UNNAMED",
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "--add-opens=java.base/java.time=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Sluice.class.getName(),
                        "flows",
                        capture.toString(),
                        "--out=" + out)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
    }

    /** Waits until the job writes. */
    private void awaitWork(Process run, Path out) throws Exception {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!isWriting(out)) {
            if (!run.isAlive() || System.nanoTime() > deadline) {
                throw new AssertionError(
                        "the run does not write:\n" + Files.readString(folder.resolve("log")));
            }
            Thread.sleep(20);
        }
    }

    private static boolean isWriting(Path out) throws Exception {
        List<Path> works;
        try (Stream<Path> all = Files.list(out)) {
            works = all.filter(Files::isDirectory).toList();
        }
        return works.stream().anyMatch(work -> Files.exists(work.resolve("flows.jsonl")));
    }
}
