/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.report;

import io.sluice.report.ReportPage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes the results of a benchmark into one HTML file, which opens without a network. */
final class ChartPage {

    private ChartPage() {}

    /**
     * Replaces {@code file}.
     *
     * @param results what is in the JSON file of the benchmark
     */
    static void write(Path file, Map<String, Object> results, List<Chart> charts)
            throws IOException {
        Map<String, Object> data = new LinkedHashMap<>(results);
        data.put("charts", charts.stream().map(ChartPage::drawable).toList());
        Files.writeString(
                file, ReportPage.of(data, ChartPage.class, "bench.html"), StandardCharsets.UTF_8);
    }

    private static Map<String, Object> drawable(Chart chart) {
        return Map.of(
                "title", chart.title,
                "xName", chart.xName,
                "yName", chart.yName,
                "logarithmic", chart.logarithmic,
                "categories", chart.categories,
                "series", chart.series,
                "notes", chart.notes);
    }
}
