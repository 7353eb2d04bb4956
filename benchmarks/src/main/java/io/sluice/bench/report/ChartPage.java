/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.report.DrawingLibrary;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes charts into one HTML file with the drawing library inside: it opens without a network. */
public final class ChartPage {
    private static final ObjectMapper JSON = new ObjectMapper();

    private ChartPage() {}

    public static void write(Path file, String title, List<Chart> charts, List<Figure> figures)
            throws IOException {
        StringBuilder html = new StringBuilder(1 << 21);
        html.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>")
                .append(escape(title))
                .append(
                        "</title>\n"
                            + "<style>body{font-family:sans-serif;max-width:64em;margin:2em auto;")
                .append("padding:0 1em;color:#222}.plot{height:26em}td,th{padding:.2em .8em;")
                .append("text-align:left;border-bottom:1px solid #ddd}p{line-height:1.4}</style>\n")
                .append("<script>")
                .append(DrawingLibrary.source())
                .append("</script></head><body>\n<h1>")
                .append(escape(title))
                .append("</h1>\n");
        appendFigures(html, figures);
        for (int i = 0; i < charts.size(); i++) {
            appendChart(html, charts.get(i), i);
        }
        html.append("</body></html>\n");
        Files.writeString(file, html, StandardCharsets.UTF_8);
    }

    private static void appendFigures(StringBuilder html, List<Figure> figures) {
        if (figures.isEmpty()) {
            return;
        }
        html.append("<table><tr><th>figure</th><th>value</th><th>unit</th><th>goal</th></tr>\n");
        for (Figure figure : figures) {
            html.append("<tr title=\"")
                    .append(escape(figure.note()))
                    .append("\"><td>")
                    .append(escape(figure.name()))
                    .append("</td><td>")
                    .append(BenchReport.format(figure.value()))
                    .append("</td><td>")
                    .append(escape(figure.unit()))
                    .append("</td><td>")
                    .append(escape(figure.goal()))
                    .append("</td></tr>\n");
        }
        html.append("</table>\n");
    }

    private static void appendChart(StringBuilder html, Chart chart, int number)
            throws IOException {
        String id = "plot" + number;
        html.append("<h2>").append(escape(chart.title)).append("</h2>\n<div class=\"plot\" id=\"");
        html.append(id).append("\"></div>\n");
        for (String note : chart.notes) {
            html.append("<p>").append(escape(note)).append("</p>\n");
        }
        // A closing tag inside a text would end the script.
        String option = JSON.writeValueAsString(option(chart)).replace("</", "<\\/");
        html.append("<script>echarts.init(document.getElementById('")
                .append(id)
                .append("')).setOption(")
                .append(option)
                .append(");</script>\n");
    }

    private static Map<String, Object> option(Chart chart) {
        Map<String, Object> option = new LinkedHashMap<>();
        option.put("animation", false);
        option.put("tooltip", Map.of("trigger", "axis"));
        option.put("legend", Map.of("type", "scroll", "bottom", 0));
        option.put("grid", Map.of("left", 90, "right", 30, "top", 20, "bottom", 80));
        option.put("xAxis", chart.categories.isEmpty() ? numbers(chart) : words(chart));
        option.put(
                "yAxis",
                Map.of(
                        "type",
                        chart.logarithmic ? "log" : "value",
                        "name",
                        chart.yName,
                        "nameLocation",
                        "middle",
                        "nameGap",
                        65));
        option.put(
                "series",
                chart.series.stream()
                        .map(chart.categories.isEmpty() ? ChartPage::line : ChartPage::bars)
                        .toList());
        return option;
    }

    private static Map<String, Object> numbers(Chart chart) {
        return Map.of(
                "type", "value",
                "name", chart.xName,
                "nameLocation", "middle",
                "nameGap", 28,
                "min", "dataMin",
                "max", "dataMax");
    }

    private static Map<String, Object> words(Chart chart) {
        return Map.of(
                "type",
                "category",
                "data",
                chart.categories,
                "axisLabel",
                Map.of("interval", 0, "rotate", 20));
    }

    private static Map<String, Object> bars(Chart.Series series) {
        return Map.of("name", series.name(), "type", "bar", "data", series.points());
    }

    private static Map<String, Object> line(Chart.Series series) {
        return Map.of(
                "name", series.name(),
                "type", "line",
                "showSymbol", series.measured(),
                "symbolSize", 6,
                "lineStyle", Map.of("type", series.measured() ? "solid" : "dashed", "width", 1.5),
                "data", series.points());
    }

    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
