/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.papers.Items.Item;
import io.sluice.papers.Items.Paper;
import io.sluice.papers.figure.PaperFigure;
import io.sluice.papers.figure.Run;
import io.sluice.papers.figure.Table;
import io.sluice.report.ReportPage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The page about the papers: as a document, and with plots. */
final class Page {

    /** A figure and what it computed. */
    record Result(PaperFigure figure, Table table) {}

    /** Tables with more rows are in the files only. */
    private static final int MAX_ROWS = 64;

    private final List<Paper> papers;
    private final Map<Integer, Result> results;
    private final Run run;
    private final Path home;
    private final StringBuilder text = new StringBuilder();

    Page(List<Paper> papers, Map<Integer, Result> results, Run run, Path home) {
        this.papers = papers;
        this.results = results;
        this.run = run;
        this.home = home;
    }

    boolean isOk() {
        return results.values().stream()
                .allMatch(result -> result.table.checks().stream().allMatch(Table.Check::ok));
    }

    String markdown() throws IOException {
        line("# The four papers, item by item");
        line(
                "`./sluice papers` writes this page from `items.txt` and its figures: change those."
                        + " For each item of the papers it says whether Sluice has it as printed,"
                        + " corrected, different or not at all, why, and where. Computed "
                        + (run.quick() ? "with `--quick`, at small sizes" : "at full size")
                        + ", commit "
                        + System.getProperty("sluice.commit", "unknown")
                        + (run.timed() ? "." : "; what is timed was measured earlier, as said."));
        for (Paper paper : papers) {
            line("## " + paper.title());
            line(paper.source() + "." + inFlink(paper));
            StringBuilder rows = new StringBuilder("| | item | verdict | why | class | test |\n");
            rows.append("|---|---|---|---|---|---|\n");
            for (Item item : paper.items()) {
                rows.append(
                        String.format(
                                "| %d | %s | %s | %s | %s | %s |%n",
                                item.number(),
                                item.label(),
                                item.verdict().equals("printed") ? "as printed" : item.verdict(),
                                item.note(),
                                code(item.type()),
                                code(item.test())));
            }
            line(rows.toString().strip());
            for (Item item : paper.items()) {
                figure(item);
            }
        }
        return text.toString().strip() + "\n";
    }

    private static String inFlink(Paper paper) {
        return paper.page().isEmpty()
                ? ""
                : " What its system becomes in a Flink job: [a page of its own](papers/"
                        + paper.page()
                        + ".md).";
    }

    private static String code(String name) {
        return name.isEmpty() ? "" : "`" + name + "`";
    }

    private void figure(Item item) throws IOException {
        Result result = results.get(item.number());
        if (result == null && item.earlier().isEmpty()) {
            return;
        }
        line("### " + item.label());
        if (result != null) {
            Table table = result.table;
            line(table.parameters() + ".");
            table.findings().forEach(this::line);
            for (Table.Check check : table.checks()) {
                String verdict = check.ok() ? "holds" : "DOES NOT HOLD";
                line("Check \"" + check.name() + "\" " + verdict + ": " + check.detail() + ".");
            }
            if (table.size() <= MAX_ROWS) {
                line(rows(table));
            }
        }
        if (!item.earlier().isEmpty() && (result == null || !result.figure.isTimed())) {
            earlier(item.earlier());
        }
    }

    private static String rows(Table table) {
        StringBuilder rows = new StringBuilder("| ");
        rows.append(String.join(" | ", table.columns())).append(" |\n");
        rows.append("|---".repeat(table.columns().size())).append("|\n");
        for (List<Object> row : table.rows()) {
            List<String> cells = row.stream().map(Table::format).toList();
            rows.append("| ").append(String.join(" | ", cells)).append(" |\n");
        }
        return rows.toString().strip();
    }

    /** What is timed, and so was measured on another day. */
    private void earlier(Items.Earlier one) throws IOException {
        Path file = home.resolve("docs/results/" + one.file() + ".json");
        JsonNode json = new ObjectMapper().readTree(file.toFile());
        String date = json.get("date").asText().substring(0, 10);
        String when = date + ", commit " + json.get("commit").asText();
        line("Timed earlier, " + when + " (`" + one.file() + ".json`):");
        Table table = Table.of("measured", "value", "unit");
        for (JsonNode figure : json.get("figures")) {
            String name = figure.get("name").asText();
            if (one.figures().contains(name)) {
                double value = figure.get("value").asDouble();
                table.add("`" + name + "`", value, figure.get("unit").asText());
            }
        }
        if (table.size() != one.figures().size()) {
            throw new IOException(file + " lacks one of " + one.figures());
        }
        line(rows(table));
    }

    private void line(String paragraph) {
        text.append(paragraph).append("\n\n");
    }

    /** The page with plots, which needs neither network nor server. */
    String html() throws IOException {
        List<Object> figures = new ArrayList<>();
        for (Map.Entry<Integer, Result> entry : results.entrySet()) {
            Table table = entry.getValue().table;
            Paper paper = Items.paperOf(papers, entry.getKey());
            String title = paper.title() + ": " + paper.item(entry.getKey()).label();
            var plots = table.plots().stream().map(plot -> drawn(table, plot)).toList();
            var notes = table.findings();
            var checks = table.checks();
            figures.add(Map.of("title", title, "notes", notes, "checks", checks, "plots", plots));
        }
        String commit = System.getProperty("sluice.commit", "unknown");
        Map<String, Object> report =
                Map.of("commit", commit, "quick", run.quick(), "figures", figures);
        return ReportPage.of(report, Page.class, "papers.html");
    }

    private static Map<String, Object> drawn(Table table, Table.Plot plot) {
        Map<String, List<double[]>> lines = new LinkedHashMap<>();
        for (int row = 0; row < table.size(); row++) {
            for (String y : plot.ys()) {
                double value = table.number(row, y);
                if (!Double.isNaN(value) && (value > 0 || !plot.logarithmic())) {
                    String by = plot.by().isEmpty() ? "" : table.text(row, plot.by()) + ", ";
                    lines.computeIfAbsent(by + y, name -> new ArrayList<>())
                            .add(new double[] {table.number(row, plot.x()), value});
                }
            }
        }
        return Map.of("x", plot.x(), "logarithmic", plot.logarithmic(), "lines", lines);
    }
}
