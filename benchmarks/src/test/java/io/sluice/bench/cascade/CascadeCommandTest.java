/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.report.CsvTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class CascadeCommandTest {
    @TempDir Path directory;

    private int run(String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--quick", "--out", directory.toString()));
        CascadeCommand command = new CascadeCommand();
        new CommandLine(command).parseArgs(all.toArray(String[]::new));
        return command.call();
    }

    @Test
    void everyFigureIsThereAndNoFileIsLeft() throws IOException {
        assertThat(run("--keys", "200000", "--peer-seconds", "0.1")).isZero();
        JsonNode json = new ObjectMapper().readTree(directory.resolve("cascade.json").toFile());
        List<String> names = new ArrayList<>();
        json.path("figures").forEach(figure -> names.add(figure.path("name").asText()));
        assertThat(names)
                .contains(
                        "cascade.device.randomReads.depth32",
                        "cascade.add.perSecond",
                        "cascade.stall.maxMillis",
                        "cascade.inserts.cascade.perSecond",
                        "cascade.inserts.bloomFile.perSecond",
                        "cascade.inserts.elevatorBloomFile.perSecond",
                        "cascade.inserts.rocksdb.perSecond",
                        "cascade.addIfAbsent.perSecond",
                        "cascade.addIfAbsentSummaries.perSecond",
                        "cascade.addIfAbsent.ratioToRocksdb",
                        "cascade.lookup.ratioToDevice",
                        "cascade.bitsPerKey",
                        "cascade.fpp",
                        "cascade.fppConfigured",
                        "cascade.falseNegatives",
                        "cascade.writeAmplification")
                .doesNotHaveDuplicates();
        assertThat(CsvTable.read(directory.resolve("cascade_write_amplification.csv")).size())
                .isEqualTo(9);
        assertThat(CsvTable.read(directory.resolve("cascade_inserts.csv")).size()).isPositive();
        assertThat(CsvTable.read(directory.resolve("cascade_lookups.csv")).size()).isEqualTo(8);
        assertThat(CsvTable.read(directory.resolve("cascade_profile_add.csv")).size()).isPositive();
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left.filter(Files::isDirectory)).isEmpty();
        }
    }

    @Test
    void sizesThatCannotBeMeasuredAreRefused() {
        assertThatThrownBy(() -> run("--keys", "1000"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--keys must be at least 200000");
        assertThatThrownBy(() -> run("--fpp", "0.5"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--fpp must be from 1.0E-6 to 0.1, got 0.5");
        assertThatThrownBy(() -> run("--peer-seconds", "0"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--peer-seconds must be positive");
    }
}
