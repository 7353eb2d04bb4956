/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.report.BenchReport;
import io.sluice.papers.figure.Table;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Base of tests of benchmarks: a report in its own directory, and what was written there. */
public abstract class ReportTestCase {
    /** Printed by assertions, so that a run can be repeated. */
    protected static final long SEED = Long.getLong("test.seed", 20261101L);

    /** Where the results go. */
    @TempDir protected Path directory;

    /** An empty report, in quick length, that prints nowhere. */
    protected final BenchReport report(String name) throws IOException {
        return report(name, directory);
    }

    /** Like {@link #report(String)}, in another directory, which need not exist. */
    protected static BenchReport report(String name, Path directory) throws IOException {
        return new BenchReport(
                name,
                directory,
                true,
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));
    }

    /** Runs a command in quick length; returns its exit code. */
    protected final int run(Callable<Integer> command, String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--quick", "--out", directory.toString()));
        new CommandLine(command).parseArgs(all.toArray(String[]::new));
        return command.call();
    }

    /**
     * Figures by name, from the file that the benchmark {@code name} wrote; no name occurs twice.
     */
    protected final Map<String, Double> figures(String name) throws IOException {
        JsonNode json = new ObjectMapper().readTree(directory.resolve(name + ".json").toFile());
        Map<String, Double> figures = new LinkedHashMap<>();
        for (JsonNode figure : json.path("figures")) {
            String figureName = figure.path("name").asText();
            assertThat(figures.put(figureName, figure.path("value").asDouble()))
                    .as("%s stands there twice", figureName)
                    .isNull();
        }
        return figures;
    }

    /** Checks that tables exist and have rows. */
    protected final void assertTables(String... files) throws IOException {
        for (String file : files) {
            assertThat(Table.parse(Files.readAllLines(directory.resolve(file))).size())
                    .as(file)
                    .isPositive();
        }
    }
}
