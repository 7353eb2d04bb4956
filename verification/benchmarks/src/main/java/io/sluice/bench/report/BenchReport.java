/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import io.sluice.papers.figure.Table;
import io.sluice.report.ReportPage;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Collects the results of one benchmark and writes {@code DIR/NAME.json}, {@code DIR/NAME.html} and
 * the tables beside them. Figures are printed as they arrive, so that an interrupted run is not
 * wasted.
 */
public final class BenchReport {
    /**
     * A claim that a run verified or refuted.
     *
     * @param name dotted and stable
     * @param ok false ends the command with exit code 1
     * @param detail one line: what was compared, how often, and the worst case
     */
    public record Check(String name, boolean ok, String detail) {}

    private final String name;
    private final Path directory;
    private final boolean quick;
    private final PrintStream out;
    private final List<Figure> figures = new ArrayList<>();
    private final List<Check> checks = new ArrayList<>();
    private final List<Chart> charts = new ArrayList<>();

    public BenchReport(String name, Path directory, boolean quick, PrintStream out)
            throws IOException {
        this.name = name;
        this.directory = directory;
        this.quick = quick;
        this.out = out;
        Files.createDirectories(directory);
    }

    /** Everything that was added so far. */
    public List<Figure> figures() {
        return List.copyOf(figures);
    }

    /** Where the results go. */
    public Path directory() {
        return directory;
    }

    public boolean quick() {
        return quick;
    }

    /** The benchmark; the names of its figures begin with it. */
    public String name() {
        return name;
    }

    public void progress(String line) {
        out.println(line);
        out.flush();
    }

    /** A line in the format of {@link String#format}, without a locale. */
    @FormatMethod
    public void progress(@FormatString String format, Object... arguments) {
        progress(String.format(Locale.ROOT, format, arguments));
    }

    /** Like {@link #add(Figure)} without printing: for figures that are in a printed table. */
    public void addSilently(Figure figure) {
        figures.add(figure);
    }

    public void add(Figure figure) {
        addSilently(figure);
        String goal =
                figure.goal().isEmpty()
                        ? ""
                        : "  goal " + figure.goal() + (figure.meetsGoal() ? " met" : " MISSED");
        progress(
                "  %-42s %12s %-10s%s", figure.name(), format(figure.value()), figure.unit(), goal);
    }

    /** A figure without a peer; see {@link Figure}. */
    public void add(String name, double value, String unit, String goal, String note) {
        add(new Figure(name, value, unit, "", goal, note));
    }

    /** A figure without a peer, its note in the format of {@link String#format}. */
    @FormatMethod
    public void add(
            String name,
            double value,
            String unit,
            String goal,
            @FormatString String note,
            Object... arguments) {
        add(name, value, unit, goal, String.format(Locale.ROOT, note, arguments));
    }

    /** How many times {@code peer} it is; see {@link Figure}. */
    public void ratio(String name, double value, String peer, String goal, String note) {
        add(new Figure(name, value, "ratio", peer, goal, note));
    }

    /** The same, its note in the format of {@link String#format}. */
    @FormatMethod
    public void ratio(
            String name,
            double value,
            String peer,
            String goal,
            @FormatString String note,
            Object... arguments) {
        ratio(name, value, peer, goal, String.format(Locale.ROOT, note, arguments));
    }

    /** The median of {@code ratios}, with their spread as the note. */
    public void ratio(String name, Spread ratios, String peer, String goal) {
        ratio(name, ratios.median(), peer, goal, ratios.toString());
    }

    /** See {@link Check}. */
    public void check(String name, boolean ok, String detail) {
        checks.add(new Check(name, ok, detail));
        progress("  %-42s %12s  %s", name, ok ? "ok" : "FAILED", detail);
    }

    /** The same, its detail in the format of {@link String#format}. */
    @FormatMethod
    public void check(String name, boolean ok, @FormatString String detail, Object... arguments) {
        check(name, ok, String.format(Locale.ROOT, detail, arguments));
    }

    public void add(Chart chart) {
        charts.add(chart);
    }

    public void table(String file, Table table) throws IOException {
        for (List<Object> row : table.rows()) {
            for (Object cell : row) {
                if (cell.toString().indexOf(',') >= 0) {
                    throw new IllegalArgumentException("cell '" + cell + "' holds a separator");
                }
            }
        }
        Files.writeString(directory.resolve(file), table.csv());
    }

    /** False if a check failed. A missed goal is reported, but is not a failure of the run. */
    public boolean ok() {
        return checks.stream().allMatch(Check::ok);
    }

    public void write() throws IOException {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("benchmark", name);
        json.put("date", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        json.put("quick", quick);
        json.put("machine", Machine.thisOne());
        json.put("commit", Machine.commit());
        json.put("figures", figures);
        json.put("checks", checks);
        new ObjectMapper()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .writeValue(directory.resolve(name + ".json").toFile(), json);
        json.put("charts", charts);
        Files.writeString(
                directory.resolve(name + ".html"),
                ReportPage.of(json, BenchReport.class, "bench.html"));
        progress("wrote " + directory.resolve(name + ".json") + " and " + name + ".html beside it");
    }

    /** Four significant digits, without an exponent where possible. */
    static String format(double value) {
        double magnitude = Math.abs(value);
        if (value == Math.rint(value) && magnitude < 1e15) {
            return String.format(Locale.ROOT, "%.0f", value);
        }
        if (magnitude >= 1000) {
            return String.format(Locale.ROOT, "%.0f", value);
        }
        return magnitude >= 0.001
                ? String.format(Locale.ROOT, "%.4g", value)
                : String.format(Locale.ROOT, "%.3e", value);
    }
}
