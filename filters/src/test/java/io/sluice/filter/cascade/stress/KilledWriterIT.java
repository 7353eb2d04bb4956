/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.stress;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills a real process that writes a real directory. */
class KilledWriterIT {
    private static final int SOME = 4;
    private static final int MANY = 250;

    /** 128 plus the number of SIGKILL: Java's convention for signals. */
    private static final int KILLED = 128 + 9;

    /** A writer is killed after fewer flushes than this; after none: while it opens. */
    private static final int MAX_FLUSHES = 8;

    /** And at most this many milliseconds later. */
    private static final int MAX_MILLIS = 80;

    @TempDir Path temporary;

    @Test
    void aWriterThatIsKilledLosesNothingThatWasFlushed() throws Exception {
        kill(SOME);
    }

    /** Takes some minutes: {@code -Plong}. */
    @Test
    @Tag("long")
    void aWriterThatIsKilledManyTimesLosesNothingThatWasFlushed() throws Exception {
        kill(MANY);
    }

    private void kill(int times) throws Exception {
        Operations operations = new Operations(Seeds.seed(0));
        SplittableRandom random = Seeds.random();
        Path directory = temporary.resolve("filter");
        long kept = 0;
        for (int i = 0; i < times; i++) {
            long flushed =
                    live(directory, kept, random.nextInt(MAX_FLUSHES), random.nextInt(MAX_MILLIS));
            assertThat(flushed)
                    .as("operations flushed before kill %d", i)
                    .isGreaterThanOrEqualTo(kept);
            kept = Survivors.check(directory, operations, flushed);
        }
        assertThat(kept).as("operations kept over %d kills", times).isGreaterThan(times);
    }

    /**
     * Starts a writer with operation {@code first}, and kills it {@code millis} milliseconds after
     * it has done {@code flushes} flushes, or has begun to open the filter.
     *
     * @return operations before the last flush that it acknowledged; {@code first} if there was
     *     none
     */
    private long live(Path directory, long first, int flushes, int millis) throws Exception {
        Path errors = temporary.resolve("errors");
        Process process =
                new ProcessBuilder(
                                List.of(
                                        Path.of(System.getProperty("java.home"), "bin", "java")
                                                .toString(),
                                        "-Xmx128m",
                                        "-XX:+UseSerialGC",
                                        "-XX:TieredStopAtLevel=1",
                                        "-cp",
                                        classPath(),
                                        Writer.class.getName(),
                                        directory.toString(),
                                        Long.toString(Seeds.seed(0)),
                                        Long.toString(first)))
                        .redirectError(errors.toFile())
                        .start();
        try (BufferedReader lines = process.inputReader(StandardCharsets.US_ASCII)) {
            assertThat(lines.readLine())
                    .as(() -> "a writer's first line; its errors: " + read(errors))
                    .isEqualTo(Writer.OPENING);
            long flushed = first;
            for (int i = 0; i < flushes; i++) {
                String line = lines.readLine();
                assertThat(line)
                        .as(() -> "a writer's acknowledgement; its errors: " + read(errors))
                        .isNotNull();
                flushed = Long.parseLong(line);
            }
            assertThat(process.waitFor(millis, TimeUnit.MILLISECONDS))
                    .as(() -> "a writer ended before it was killed: " + read(errors))
                    .isFalse();
            // Not Process.destroyForcibly, which would discard what is still in the pipe.
            process.toHandle().destroyForcibly();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                flushed = Long.parseLong(line);
            }
            assertThat(process.waitFor())
                    .as(() -> "a writer's end; its errors: " + read(errors))
                    .isEqualTo(KILLED);
            return flushed;
        } finally {
            process.destroyForcibly();
        }
    }

    /** The tests' class path: Surefire hides it behind a jar that only names it. */
    private static String classPath() {
        return System.getProperty(
                "surefire.test.class.path", System.getProperty("java.class.path"));
    }

    private static String read(Path errors) {
        try {
            return Files.readString(errors);
        } catch (IOException e) {
            return "none readable: " + e;
        }
    }
}
