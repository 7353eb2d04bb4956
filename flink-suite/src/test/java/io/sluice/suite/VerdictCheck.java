/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Runs after all runs: writes {@code flink-suite.json} and {@code flink-suite.md} from their
 * results, and fails if anything is wrong with them.
 */
class VerdictCheck {

    @Test
    void everyTestThatWasNotLeftOutPassedAndNoMarkWasDenied() throws Exception {
        Path directory = Path.of(System.getProperty("sluice.suite.results"));
        List<SuiteRun> runs =
                Arrays.stream(System.getProperty("sluice.suite.runs").split(",", -1))
                        .map(SuiteRun::named)
                        .toList();
        List<String> classes = Selection.named(System.getProperty("sluice.suite.selection"));
        List<ClassResult> results =
                Results.read(directory).stream()
                        .filter(result -> classes.contains(result.className()))
                        .toList();
        Place place = Place.here();

        Map<String, Object> report = new LinkedHashMap<>();
        report.put("place", place);
        report.put("results", results);
        Results.JSON.writeValue(directory.resolveSibling("flink-suite.json").toFile(), report);
        Files.write(
                directory.resolveSibling("flink-suite.md"),
                Table.of(place, results),
                StandardCharsets.UTF_8);

        assertThat(Verdict.problems(runs, classes, results)).isEmpty();
    }
}
