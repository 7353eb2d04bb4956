/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.flink.runtime.util.EnvironmentInformation;

/** When and where the suite was run, and on what. */
record Place(
        @JsonProperty("date") String date,
        @JsonProperty("commit") String commit,
        @JsonProperty("flink") String flink,
        @JsonProperty("cpu") String cpu,
        @JsonProperty("cores") int cores,
        @JsonProperty("java") String java,
        @JsonProperty("os") String os) {

    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

    /** Of this checkout, with {@code +changes} if it differs from it. */
    static final String COMMIT = checkout();

    static Place here() throws IOException {
        return new Place(
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                COMMIT,
                EnvironmentInformation.getVersion(),
                model(),
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("java.vm.version"),
                System.getProperty("os.name") + ' ' + System.getProperty("os.version"));
    }

    private static String checkout() {
        String head = git("rev-parse", "--short=12", "HEAD");
        if (head.isEmpty()) {
            return "unknown";
        }
        return git("status", "--porcelain", "--untracked-files=no").isEmpty()
                ? head
                : head + "+changes";
    }

    private static String git(String... arguments) {
        String[] command =
                Stream.concat(Stream.of("git"), Arrays.stream(arguments)).toArray(String[]::new);
        try {
            Process process =
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            String out =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? out.strip() : "";
        } catch (IOException e) {
            throw new UncheckedIOException("git cannot be run", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while git ran", e);
        }
    }

    private static String model() throws IOException {
        if (!Files.isReadable(CPU_INFO)) {
            return "unknown";
        }
        return Files.readAllLines(CPU_INFO).stream()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("unknown");
    }
}
