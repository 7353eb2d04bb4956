/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.annotation.Nullable;

/**
 * The wall clocks of the processes, each of which can be stepped; their steady clocks are right.
 */
public final class Clocks {
    static final long WAIT_MILLIS = 200;

    private final Path folder;
    private final @Nullable FakeTime library;

    /**
     * Right ones at first.
     *
     * @param library null if they always are
     */
    public Clocks(Path work, @Nullable FakeTime library) {
        folder = work.resolve("clocks");
        this.library = library;
    }

    /** Is added to what a process of that name is started with. */
    Map<String, String> environment(String process) throws IOException {
        if (library == null) {
            return Map.of();
        }
        Files.createDirectories(folder);
        Path file = folder.resolve(process);
        if (!Files.exists(file)) {
            write(file, Duration.ZERO);
        }
        return library.environment(file);
    }

    /** From about a second later the clock of that process is wrong by {@code offset}. */
    public void set(String process, Duration offset) throws IOException {
        write(folder.resolve(process), offset);
    }

    static void write(Path file, Duration offset) throws IOException {
        Path unfinished = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(unfinished, String.format("%+d%n", offset.toSeconds()));
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** What a {@link ClockProbe} found. */
    record Probe(long wallMillis, long waitedMillis) {
        private static final Pattern LINE = Pattern.compile("wall (-?\\d+) waited (\\d+)");

        String line() {
            return "wall " + wallMillis + " waited " + waitedMillis;
        }

        static Optional<Probe> parse(String text) {
            Matcher matcher = LINE.matcher(text);
            return matcher.find()
                    ? Optional.of(
                            new Probe(
                                    Long.parseLong(matcher.group(1)),
                                    Long.parseLong(matcher.group(2))))
                    : Optional.empty();
        }
    }
}
