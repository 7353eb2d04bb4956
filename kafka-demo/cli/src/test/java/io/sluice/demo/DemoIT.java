/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.cli.Sluice;
import io.sluice.replay.TruthFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demonstration from the command line to its files, on a real broker and cluster. */
class DemoIT {
    private static final String SEED = Long.toString(Long.getLong("test.seed", 20261101L));

    @TempDir private Path folder;

    @Test
    void aRunWithAFailureAndARescaleKeepsEveryPromise() throws Exception {
        Path out = folder.resolve("new/out");

        int exit =
                Sluice.run(
                        "demo", "--packets=20000", "--out=" + out, "--seed=" + SEED, "--fpp=0.001");

        JsonNode report = new ObjectMapper().readTree(out.resolve("report.json").toFile());
        assertThat(report.path("verdict").asText()).as("seed " + SEED).isEqualTo("ok");
        assertThat(exit).isZero();
        long operations = report.at("/input/operations").asLong();
        long retries = report.at("/input/injectedDuplicates").asLong();
        long falsePositives = report.at("/dedup/falsePositives").asLong();
        assertThat(operations).isEqualTo(20_000);
        assertThat(retries).isBetween(3000L, 5000L);
        assertThat(report.at("/input/records").asLong())
                .isEqualTo(operations + retries + report.at("/input/malformed").asLong());
        assertThat(report.at("/dedup/missedDuplicates").asLong(-1)).isZero();
        assertThat(report.at("/dedup/passed").asLong()).isEqualTo(operations - falsePositives);
        assertThat(report.at("/dedup/dropped").asLong()).isEqualTo(retries + falsePositives);
        assertThat(report.at("/dedup/deadLetters").asLong())
                .isEqualTo(report.at("/input/malformed").asLong())
                .isPositive();
        assertThat(report.at("/counters/exact").asLong()).isEqualTo(operations);
        assertThat(report.at("/counters/withFilter").asLong())
                .isEqualTo(operations - falsePositives);
        assertThat(report.at("/counters/withoutFilter").asLong()).isEqualTo(operations + retries);
        assertThat(report.at("/throughput/recordsPerSecond").asDouble()).isPositive();
        assertThat(report.at("/checkpoint/count").asInt()).isGreaterThanOrEqualTo(3);
        assertThat(report.at("/checkpoint/bytes").asLong()).isPositive();
        assertThat(report.at("/checkpoint/millis").asDouble()).isPositive();
        assertThat(report.at("/failures/injected").asInt()).isEqualTo(1);
        assertThat(report.at("/failures/recovered").asInt()).isEqualTo(1);
        assertThat(report.at("/failures/rescaled").asInt()).isEqualTo(1);
        assertThat(report.at("/flows/total").asLong())
                .isEqualTo(report.at("/flows/truth").asLong())
                .isGreaterThan(500);
        assertThat(report.at("/flows/byState/SF").asLong()).isPositive();
        assertThat(report.at("/flows/alerts/illegal-flags").asLong()).isEqualTo(20);
        assertThat(report.at("/flows/series/open")).hasSizeGreaterThan(50);
        assertThat(sum(report.at("/flows/byState"))).isEqualTo(report.at("/flows/total").asLong());
        assertThat(sum(report.at("/kbf/byState")))
                .isCloseTo(
                        report.at("/flows/total").asLong(),
                        within(report.at("/kbf/errorsBound").asLong()));
        assertThat(report.at("/kbf/errors").asLong())
                .isLessThanOrEqualTo(report.at("/kbf/errorsBound").asLong());
        assertThat(TruthFile.read(out.resolve("truth.json")).summary().sends())
                .isEqualTo(operations + retries);
        assertThat(out.resolve("report.html"))
                .content()
                .contains("\"verdict\" : \"ok\"")
                .doesNotContain("/*DATA*/null");
        assertThat(names(out))
                .containsExactlyInAnyOrder(
                        "report.json", "report.html", "truth.json", "truth.counters");
    }

    @Test
    void withoutAFilterTheVerdictFailsAndSaysByHowMuch() throws Exception {
        int exit =
                Sluice.run(
                        "demo",
                        "--packets=5000",
                        "--out=" + folder,
                        "--seed=" + SEED,
                        "--no-filter");

        JsonNode report = new ObjectMapper().readTree(folder.resolve("report.json").toFile());
        long retries = report.at("/input/injectedDuplicates").asLong();
        assertThat(exit).isEqualTo(1);
        assertThat(report.path("verdict").asText())
                .isEqualTo(
                        retries
                                + " retries were counted twice, since the filter is switched off"
                                + " (--no-filter)");
        assertThat(report.at("/dedup/missedDuplicates").asLong()).isEqualTo(retries);
        assertThat(report.at("/counters/withFilter").asLong()).isEqualTo(5000 + retries);
    }

    private static long sum(JsonNode numbers) {
        long sum = 0;
        for (JsonNode number : numbers) {
            sum += number.asLong();
        }
        return sum;
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}
