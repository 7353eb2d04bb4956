/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A small table with named columns, written and read as comma-separated values without quoting. */
public final class CsvTable {
    private final List<String> columns;
    private final Map<String, Integer> indexOf = new HashMap<>();
    private final List<List<String>> rows = new ArrayList<>();

    /** A table without rows; {@code header} is its first line. */
    public CsvTable(String header) {
        columns = List.of(header.split(",", -1));
        for (int i = 0; i < columns.size(); i++) {
            if (indexOf.put(columns.get(i), i) != null) {
                throw new IllegalArgumentException("column " + columns.get(i) + " is named twice");
            }
        }
    }

    /** Adds a row; doubles are written with six significant digits. */
    public void add(Object... cells) {
        if (cells.length != columns.size()) {
            throw new IllegalArgumentException(
                    cells.length + " cells for " + columns.size() + " columns " + columns);
        }
        List<String> row = new ArrayList<>(cells.length);
        for (Object cell : cells) {
            String text =
                    cell instanceof Double number
                            ? number == Math.rint(number) && Math.abs(number) < 1e9
                                    ? Long.toString(number.longValue())
                                    : String.format(java.util.Locale.ROOT, "%.6g", number)
                            : cell.toString();
            if (text.indexOf(',') >= 0 || text.indexOf('\n') >= 0) {
                throw new IllegalArgumentException("cell '" + text + "' holds a separator");
            }
            row.add(text);
        }
        rows.add(row);
    }

    public int size() {
        return rows.size();
    }

    public String text(int row, String column) {
        Integer index = indexOf.get(column);
        if (index == null) {
            throw new IllegalArgumentException("no column " + column + " in " + columns);
        }
        return rows.get(row).get(index);
    }

    public double number(int row, String column) {
        return Double.parseDouble(text(row, column));
    }

    public void write(Path file) throws IOException {
        StringBuilder out = new StringBuilder(String.join(",", columns)).append('\n');
        for (List<String> row : rows) {
            out.append(String.join(",", row)).append('\n');
        }
        Files.writeString(file, out, StandardCharsets.UTF_8);
    }

    /**
     * Reads a table.
     *
     * @throws IOException if the file is unreadable or a row's width differs from the header's
     */
    public static CsvTable read(Path file) throws IOException {
        return parse(file, Files.readAllLines(file, StandardCharsets.UTF_8));
    }

    /** Like {@link #read}, for lines that were read from {@code file}. */
    public static CsvTable parse(Path file, List<String> lines) throws IOException {
        if (lines.isEmpty()) {
            throw new IOException(file + " is empty: it has no header");
        }
        CsvTable table = new CsvTable(lines.get(0));
        for (int i = 1; i < lines.size(); i++) {
            List<String> cells = List.of(lines.get(i).split(",", -1));
            if (cells.size() != table.columns.size()) {
                throw new IOException(
                        file
                                + " line "
                                + (i + 1)
                                + " has "
                                + cells.size()
                                + " cells, its header "
                                + table.columns.size());
            }
            table.rows.add(cells);
        }
        return table;
    }
}
