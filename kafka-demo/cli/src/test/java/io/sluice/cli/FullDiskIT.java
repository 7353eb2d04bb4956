/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The command on a file system that is really full: a small one in memory, visible only in the
 * program's own mount namespace, so that no rights are needed. Skipped if the kernel refuses that.
 */
class FullDiskIT {
    private static final long SECONDS_AT_MOST = 120;

    /**
     * Mounts the small file system, runs the arguments, lists what is left on it. A name in {@code
     * FILL_AT} fills the disk as soon as a file of that name appears on it.
     */
    private static final String SCRIPT =
            """
            mount -t tmpfs -o size=$SIZE tmpfs "$DISK" || exit 99
            if [ -n "$FILL_AT" ]; then
                (
                    until [ -n "$(find "$DISK" -name "$FILL_AT")" ]; do sleep 0.02; done
                    cat /dev/zero > "$DISK/filler"
                ) 2> "$LEFT" &
            fi
            "$@"
            code=$?
            ls -A "$DISK" > "$LEFT"
            exit $code
            """;

    @TempDir private Path folder;
    private Path disk;
    private Path left;
    private String fillAt = "";

    private record Run(int exit, String errors, List<String> left) {}

    @BeforeEach
    void needsAMountOfItsOwn() throws Exception {
        disk = Files.createDirectory(folder.resolve("disk"));
        left = folder.resolve("left");
        boolean possible;
        try {
            possible = shell("64k", List.of("true")).exit() == 0;
        } catch (IOException e) {
            possible = false;
        }
        assumeTrue(possible, "a private mount namespace (unshare -rm) is not available here");
    }

    @Test
    void theDemonstrationSaysHowMuchItNeedsBeforeItBegins() throws Exception {
        Run run = sluice("20m", "demo", "--packets=1000", "--out=" + disk);

        assertRefused(run, "needs about 64 MB", "20 MB are free", "--out");
        assertThat(run.left()).isEmpty();
    }

    @Test
    void theDemonstrationThatRunsOutOfRoomSaysSoAndCleansUp() throws Exception {
        fillAt = "kafka-*";
        Run run = sluice("120m", "demo", "--packets=1000", "--out=" + disk);

        assertRefused(run, "no room is left in " + disk, "--out");
        assertThat(run.left()).containsExactly("filler");
    }

    @Test
    void aCaptureThatDoesNotFitIsNotLeftHalfWritten() throws Exception {
        Run run = sluice("1m", "generate", "--packets=50000", disk + "/big.pcap");

        assertRefused(run, "big.pcap", "No space left on device", "the space left");
        assertThat(run.left()).isEmpty();
    }

    @Test
    void aCaptureThatFitsIsWritten() throws Exception {
        Run run = sluice("20m", "generate", "--packets=5000", disk + "/small.pcap");

        assertThat(run.exit()).as(run.errors()).isZero();
        assertThat(run.left()).containsExactly("small.pcap");
    }

    private static void assertRefused(Run run, String... parts) {
        assertThat(run.exit()).as(run.errors()).isEqualTo(2);
        assertThat(run.errors().lines()).as(run.errors()).hasSize(1);
        assertThat(run.errors()).startsWith("sluice: ").contains(parts);
    }

    private Run sluice(String size, String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-Dsluice.log=" + folder.resolve("sluice.log"));
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(Sluice.class.getName());
        command.addAll(List.of(arguments));
        return shell(size, command);
    }

    private Run shell(String size, List<String> command) throws Exception {
        List<String> whole = new ArrayList<>(List.of("unshare", "-rm", "sh", "-c", SCRIPT, "sh"));
        whole.addAll(command);
        Path errors = folder.resolve("errors");
        ProcessBuilder builder =
                new ProcessBuilder(whole)
                        .redirectOutput(folder.resolve("output").toFile())
                        .redirectError(errors.toFile());
        builder.environment().put("SIZE", size);
        builder.environment().put("DISK", disk.toString());
        builder.environment().put("LEFT", left.toString());
        builder.environment().put("FILL_AT", fillAt);
        Process process = builder.start();
        process.getOutputStream().close();
        if (!process.waitFor(SECONDS_AT_MOST, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            throw new AssertionError("still running after " + SECONDS_AT_MOST + " s: " + command);
        }
        List<String> names = Files.exists(left) ? Files.readAllLines(left) : List.of();
        return new Run(
                process.exitValue(), Files.readString(errors, StandardCharsets.UTF_8), names);
    }
}
