/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Runs after all runs: writes {@code flink-suite.json} and {@code flink-suite.md} from their
 * results, and fails if anything is wrong with them. With {@code -Dsuite.publish=true} it writes
 * the documentation too.
 */
class VerdictCheck {

    private static final Path DOCS = Path.of("../../docs");
    private static final String BEGIN = "<!-- results -->";
    private static final String END = "<!-- end of results -->";

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
        List<String> table = Table.of(place, results);
        Files.write(directory.resolveSibling("flink-suite.md"), table, StandardCharsets.UTF_8);
        if (Boolean.getBoolean("sluice.suite.publish")) {
            Results.JSON.writeValue(DOCS.resolve("results/flink-suite.json").toFile(), report);
            publish(DOCS.resolve("reliability/flink-suite.md"), table);
        }

        assertThat(SuiteVerdict.problems(runs, classes, Selection.named("unreached"), results))
                .isEmpty();
    }

    private static void publish(Path page, List<String> table) throws IOException {
        List<String> lines = Files.readAllLines(page);
        int begin = lines.indexOf(BEGIN);
        int end = lines.indexOf(END);
        assertThat(begin).as("a line '%s' before '%s' in %s", BEGIN, END, page).isBetween(0, end);
        List<String> published = new ArrayList<>(lines.subList(0, begin + 1));
        published.add("");
        published.addAll(table);
        published.add("");
        published.addAll(lines.subList(end, lines.size()));
        Files.write(page, published);
    }
}
