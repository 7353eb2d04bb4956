/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.sluice.suite.ClassResult.Failure;
import io.sluice.suite.ClassResult.LeftOut;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.UniqueId;

/** The results of this JVM while they come in, and the files that hold those of all. */
final class Results {

    static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private static final Map<String, List<LeftOut>> EXCLUDED = new ConcurrentHashMap<>();

    private static final int LONG_ENOUGH = 300;

    private int passed;
    private int skipped;
    private final List<Failure> failed = new ArrayList<>();
    private final Counts before;
    private final long startNanos = System.nanoTime();

    /**
     * Of a class that begins.
     *
     * @param before what the oracles had seen when the class before it ended
     */
    Results(Counts before) {
        this.before = before;
    }

    Counts before() {
        return before;
    }

    /** The class that was selected for a test or container; none for an engine. */
    static Optional<String> classOf(UniqueId id) {
        return id.getSegments().stream()
                .filter(part -> part.getType().equals("class") || part.getType().equals("runner"))
                .map(UniqueId.Segment::getValue)
                .findFirst();
    }

    static Optional<String> classOf(TestDescriptor test) {
        return classOf(test.getUniqueId());
    }

    static void excluded(String className, String test, Excluded.Entry entry) {
        EXCLUDED.computeIfAbsent(className, name -> new ArrayList<>())
                .add(new LeftOut(test, entry.reason()));
    }

    void passed() {
        passed++;
    }

    void skipped() {
        skipped++;
    }

    void failed(String test, Throwable cause) {
        String message = String.valueOf(cause).replaceAll("\\s+", " ");
        failed.add(
                new Failure(test, message.substring(0, Math.min(message.length(), LONG_ENOUGH))));
    }

    ClassResult of(SuiteRun run, String className) {
        return new ClassResult(
                run.label(),
                className,
                Place.COMMIT,
                passed,
                skipped,
                List.copyOf(failed),
                List.copyOf(EXCLUDED.getOrDefault(className, List.of())),
                Ledger.counts().minus(before),
                Duration.ofNanos(System.nanoTime() - startNanos).toSeconds());
    }

    static void write(Path directory, ClassResult result) throws IOException {
        Path file = file(directory, result);
        Files.createDirectories(file.getParent());
        JSON.writeValue(file.toFile(), result);
    }

    static Path file(Path directory, ClassResult result) {
        return directory.resolve(result.run()).resolve(result.className() + ".json");
    }

    static List<ClassResult> read(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            List<ClassResult> results = new ArrayList<>();
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                results.add(JSON.readValue(file.toFile(), ClassResult.class));
            }
            return results;
        }
    }
}
