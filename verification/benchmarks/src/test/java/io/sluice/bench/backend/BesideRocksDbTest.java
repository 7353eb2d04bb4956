/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.backend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.report.Figure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The picture of the README is what the benchmark drew of the figures that it measured. */
class BesideRocksDbTest {
    private static final Path RESULTS = Path.of("../../docs/results");

    @Test
    void thePictureIsDrawnFromTheResults() throws IOException {
        assertThat(BesideRocksDb.picture(measured()))
                .contains(Files.readString(RESULTS.resolve(BesideRocksDb.FILE)));
    }

    @Test
    void theReadmeNamesMachineAndCommitOfThePicture() throws IOException {
        JsonNode results = results();
        String readme = Files.readString(Path.of("../../README.md"));
        int at = readme.indexOf(BesideRocksDb.FILE);
        assertThat(at).isPositive();
        assertThat(readme.substring(at, at + 600))
                .contains(results.get("commit").asText().substring(0, 7), "Xeon", "p = 1e-4");
        assertThat(results.get("machine").get("cpu").asText()).contains("Xeon");
    }

    @Test
    void thereIsNoPictureOfHalfTheFigures() throws IOException {
        List<Figure> figures = measured();
        figures.removeIf(figure -> figure.name().endsWith(".rocksdb"));
        assertThat(BesideRocksDb.picture(figures)).isEmpty();
    }

    private static JsonNode results() throws IOException {
        return new ObjectMapper().readTree(RESULTS.resolve("backend-beside-rocksdb.json").toFile());
    }

    private static List<Figure> measured() throws IOException {
        List<Figure> figures = new ArrayList<>();
        for (JsonNode figure : results().get("figures")) {
            figures.add(
                    new Figure(
                            figure.get("name").asText(),
                            figure.get("value").asDouble(),
                            figure.get("unit").asText(),
                            figure.get("peer").asText(),
                            figure.get("goal").asText(),
                            figure.get("note").asText()));
        }
        return figures;
    }
}
