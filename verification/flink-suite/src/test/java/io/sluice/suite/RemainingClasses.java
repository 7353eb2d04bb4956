/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Runs before all runs: writes the list of the classes that each of them still has to run. That is
 * the whole selection, unless {@code -Dsuite.resume=true} goes on with a run that was interrupted:
 * then it leaves out what has a result, in {@code target} or in the documentation.
 */
class RemainingClasses {

    private static final Path PUBLISHED = Path.of("../../docs/results/flink-suite.json");

    /** Surefire takes an empty list for all classes. */
    private static final String NONE = "none/Remaining.class";

    @Test
    void everyRunHasItsList() throws Exception {
        Path directory =
                Files.createDirectories(Path.of(System.getProperty("sluice.suite.results")));
        if (Boolean.getBoolean("sluice.suite.resume")) {
            addPublished(directory);
        }
        List<ClassResult> results = Results.read(directory);
        List<String> classes = Selection.named(System.getProperty("sluice.suite.selection"));
        Path lists = Files.createDirectories(Path.of(System.getProperty("sluice.suite.lists")));
        for (SuiteRun run : SuiteRun.values()) {
            List<String> remaining = remaining(run, classes, results);
            Files.write(
                    lists.resolve(run.label() + ".txt"),
                    remaining.isEmpty() ? List.of(NONE) : remaining);
            assertThat(remaining).doesNotHaveDuplicates();
        }
    }

    static List<String> remaining(SuiteRun run, List<String> classes, List<ClassResult> results) {
        Set<String> judged =
                results.stream()
                        .filter(result -> result.run().equals(run.label()))
                        .map(ClassResult::className)
                        .collect(Collectors.toSet());
        return classes.stream()
                .filter(name -> !judged.contains(name))
                .map(name -> name.replace('.', '/') + ".class")
                .toList();
    }

    /** A result of this checkout's own runs is newer. */
    private static void addPublished(Path directory) throws Exception {
        JsonNode report = Results.JSON.readTree(PUBLISHED.toFile());
        assertThat(report.at("/place/flink").textValue()).isEqualTo(Place.here().flink());
        ClassResult[] published =
                Results.JSON.treeToValue(report.get("results"), ClassResult[].class);
        Set<Path> own =
                Results.read(directory).stream()
                        .map(result -> Results.file(directory, result))
                        .collect(Collectors.toSet());
        for (ClassResult result : Arrays.asList(published)) {
            if (!own.contains(Results.file(directory, result))) {
                Results.write(directory, result);
            }
        }
    }
}
