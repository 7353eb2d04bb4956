/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.figure;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** The numbers of a figure with what they mean: plots, findings and checks. Not thread-safe. */
public final class Table {

    /** Columns drawn over {@code x}, with lines of their own for each value of {@code by}. */
    public record Plot(String x, String by, List<String> ys, boolean logarithmic) {}

    /** Something that has to hold, and what was found. */
    public record Check(String name, boolean ok, String detail) {}

    private final List<String> columns;
    private final List<List<Object>> rows = new ArrayList<>();
    private final List<Plot> plots = new ArrayList<>();
    private final List<String> findings = new ArrayList<>();
    private final List<Check> checks = new ArrayList<>();
    private String parameters = "";

    private Table(List<String> columns) {
        this.columns = columns;
    }

    /** An empty table. */
    public static Table of(String... columns) {
        return new Table(List.of(columns));
    }

    /** Reads lines of values with commas between them, the first with the columns. */
    public static Table parse(List<String> lines) {
        // One name contains a comma, and the tables have no quotes.
        List<String> clean = lines.stream().map(line -> line.replace("c<=2", "pairs")).toList();
        Table table = of(clean.get(0).replace("(paper,pairs)", "(paper)").split(",", -1));
        for (String line : clean.subList(1, clean.size())) {
            table.add((Object[]) line.replace("(paper,pairs)", "(paper)").split(",", -1));
        }
        return table;
    }

    /** Appends a row. */
    public void add(Object... cells) {
        if (cells.length != columns.size()) {
            throw new IllegalArgumentException(
                    "a row of " + cells.length + " cells for " + columns.size() + " columns");
        }
        rows.add(List.of(cells));
    }

    /** Draws columns over {@code x}, a line for each value of {@code by}, which may be empty. */
    public void plot(String x, String by, boolean logarithmic, String... ys) {
        plots.add(new Plot(x, by, List.of(ys), logarithmic));
    }

    /** Says what the numbers show, in the format of {@link String#format}. */
    @FormatMethod
    public void finding(@FormatString String format, Object... arguments) {
        findings.add(String.format(Locale.ROOT, format, arguments));
    }

    /** Adds a check, its detail in the format of {@link String#format}. */
    @FormatMethod
    public void check(String name, boolean ok, @FormatString String format, Object... arguments) {
        checks.add(new Check(name, ok, String.format(Locale.ROOT, format, arguments)));
    }

    /** States what the figure was computed with. */
    public void parameters(String text) {
        parameters = text;
    }

    /** What the figure was computed with. */
    public String parameters() {
        return parameters;
    }

    /** The names of the columns. */
    public List<String> columns() {
        return columns;
    }

    /** The rows; their cells are numbers and text. */
    public List<List<Object>> rows() {
        return rows;
    }

    /** What is drawn. */
    public List<Plot> plots() {
        return plots;
    }

    /** What the numbers show. */
    public List<String> findings() {
        return findings;
    }

    /** What had to hold. */
    public List<Check> checks() {
        return checks;
    }

    /** How many rows there are. */
    public int size() {
        return rows.size();
    }

    /** A cell as text. */
    public String text(int row, String column) {
        int at = columns.indexOf(column);
        if (at < 0) {
            throw new IllegalArgumentException("no column " + column + " in " + columns);
        }
        return rows.get(row).get(at).toString();
    }

    /** A cell as a number; NaN in row -1, which is none. */
    public double number(int row, String column) {
        return row < 0 ? Double.NaN : Double.parseDouble(text(row, column));
    }

    /** The row in which columns, each followed by its value, are like this, or -1. */
    public int row(Object... columnsAndValues) {
        int row = rows.size() - 1;
        while (row >= 0 && !isLike(row, columnsAndValues)) {
            row--;
        }
        return row;
    }

    private boolean isLike(int row, Object... columnsAndValues) {
        for (int i = 0; i < columnsAndValues.length; i += 2) {
            String column = columnsAndValues[i].toString();
            Object value = columnsAndValues[i + 1];
            boolean like =
                    value instanceof Number number
                            ? number(row, column) == number.doubleValue()
                            : text(row, column).equals(value);
            if (!like) {
                return false;
            }
        }
        return true;
    }

    /** The number of {@code column} in the row that begins with {@code key}. */
    public double at(String column, Object... key) {
        for (int row = 0; row < rows.size(); row++) {
            if (rows.get(row).subList(0, key.length).equals(Arrays.asList(key))) {
                return number(row, column);
            }
        }
        throw new IllegalArgumentException("no row " + Arrays.toString(key));
    }

    /** A cell for reading: four significant digits. */
    public static String format(Object cell) {
        if (!(cell instanceof Double value)) {
            return Objects.toString(cell);
        }
        if (Double.isNaN(value)) {
            return "";
        }
        double size = Math.abs(value);
        if (value == Math.rint(value) && size < 1e7) {
            return String.format(Locale.ROOT, "%.0f", value);
        }
        return size >= 1e-3 && size < 1e7
                ? String.format(Locale.ROOT, "%.4g", value)
                : String.format(Locale.ROOT, "%.2e", value);
    }

    /** The table with commas between values. */
    public String csv() {
        StringBuilder text = new StringBuilder(String.join(",", columns)).append('\n');
        for (List<Object> row : rows) {
            text.append(String.join(",", row.stream().map(Object::toString).toList())).append('\n');
        }
        return text.toString();
    }
}
