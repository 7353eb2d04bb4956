/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.papers.figure.Table;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchReportTest {
    @TempDir Path directory;
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    private BenchReport report() throws IOException {
        return new BenchReport(
                "sample", directory, true, new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    @Test
    void figuresMachineAndCommitAreInTheJson() throws IOException {
        BenchReport report = report();
        report.add(new Figure("sample.ratio", 0.5, "ratio", "a peer", ">= 0.4", "a note"));
        report.check("sample.check", true, "fine");
        report.write();
        JsonNode json = new ObjectMapper().readTree(directory.resolve("sample.json").toFile());
        assertThat(json.path("machine").path("cores").asInt()).isPositive();
        assertThat(json.path("commit").asText()).isNotEmpty();
        assertThat(json.path("quick").asBoolean()).isTrue();
        JsonNode figure = json.path("figures").get(0);
        assertThat(figure.path("name").asText()).isEqualTo("sample.ratio");
        assertThat(figure.path("value").asDouble()).isEqualTo(0.5);
        assertThat(figure.path("peer").asText()).isEqualTo("a peer");
        assertThat(figure.path("goal").asText()).isEqualTo(">= 0.4");
        assertThat(report.ok()).isTrue();
    }

    @Test
    void aFailedCheckFailsTheRunAndAMissedGoalDoesNot() throws IOException {
        BenchReport report = report();
        report.add(new Figure("sample.slow", 0.1, "ratio", "", ">= 0.4", ""));
        assertThat(report.ok()).isTrue();
        assertThat(printed.toString(StandardCharsets.UTF_8)).contains("MISSED");
        report.check("sample.check", false, "not fine");
        assertThat(report.ok()).isFalse();
    }

    @Test
    void thePageHoldsTheLibraryAndCannotBeBrokenByTexts() throws IOException {
        BenchReport report = report();
        report.add(
                Chart.logarithmic("a </script> title", "x", "y")
                        .measured("</script>", List.of(new double[] {1, 2}, new double[] {2, 0}))
                        .note("a < b"));
        report.write();
        String html = Files.readString(directory.resolve("sample.html"));
        assertThat(html)
                .contains("echarts.init")
                .contains("a \\u003c b")
                .doesNotContain("src=\"http");
        assertThat(html.split("</script>", -1)).hasSize(3);
        assertThat(dataIn(html)).contains("[[1.0,2.0]]");
    }

    /** Without blanks. */
    private static String dataIn(String html) {
        return html.substring(html.indexOf("const report = ")).replaceAll("\\s", "");
    }

    @Test
    void barsStandOverTheirWordsAndAMissingOneIsLeftOut() throws IOException {
        BenchReport report = report();
        Chart chart = Chart.bars("title", List.of("one", "two", "three"), "y");
        report.add(chart.bars("first", List.of(1.5, Double.NaN, 2.5)));
        report.write();
        String html = Files.readString(directory.resolve("sample.html"));
        assertThat(dataIn(html))
                .contains("[\"one\",\"two\",\"three\"]")
                .contains("[[0.0,1.5],[2.0,2.5]]");
        assertThatThrownBy(() -> chart.bars("short", List.of(1.0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 bars for 3 groups");
    }

    @Test
    void aFigureOfAPrintedTableIsWrittenAndNotPrinted() throws IOException {
        BenchReport report = report();
        report.addSilently(new Figure("sample.silent", 2, "ratio", "", "", ""));
        report.write();
        assertThat(Files.readString(directory.resolve("sample.json"))).contains("sample.silent");
        assertThat(printed.toString(StandardCharsets.UTF_8)).doesNotContain("sample.silent");
    }

    @Test
    void aTableIsWrittenAndACellThatHoldsASeparatorIsRefused() throws IOException {
        BenchReport report = report();
        Table table = Table.of("name", "value");
        table.add("a", 1.25e-7);
        report.table("t.csv", table);
        assertThat(directory.resolve("t.csv")).hasContent("name,value\na,1.25E-7");
        table.add("b,c", 3L);
        assertThatThrownBy(() -> report.table("t.csv", table))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("b,c");
    }

    @Test
    void aValueThatIsNoNumberIsRefused() {
        assertThatThrownBy(() -> new Figure("f", Double.NaN, "ratio", "", "", ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("f");
    }
}
