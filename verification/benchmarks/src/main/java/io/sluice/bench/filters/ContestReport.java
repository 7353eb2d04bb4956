/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.filters;

import io.sluice.bench.filters.FilterContest.Row;
import io.sluice.bench.rate.Life.Operation;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.report.Figure;
import io.sluice.bench.report.Spread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * The rows of a contest as a printed table, {@code filters.csv}, a plot, and figures {@code
 * filters.ID.OPERATION.mops}, {@code .ratioToLimit}, {@code filters.ID.fpp} and {@code
 * filters.ID.bitsPerKey}.
 */
final class ContestReport {
    private static final String PEER = "one random line, right before";

    private ContestReport() {}

    static void write(BenchReport report, List<Row> rows) throws IOException {
        print(report, "M/s", " %11.1f", rows, Row::mops);
        print(report, "of one random line", " %11.2f", rows, Row::ratioToLimit);
        report.table("filters.csv", table(rows));
        report.add(chart(rows));
        for (Row row : rows) {
            figures(report, row);
        }
    }

    private static void print(
            BenchReport report,
            String title,
            String format,
            List<Row> rows,
            Function<Row, Map<Operation, Spread>> values) {
        StringBuilder head = new StringBuilder(String.format("    %-26s", title));
        for (Operation operation : Operation.values()) {
            head.append(String.format(" %11s", operation.word));
        }
        report.progress(head + "       fpp %  bits/key");
        for (Row row : rows) {
            StringBuilder line = new StringBuilder(String.format("    %-26s", row.name()));
            for (Operation operation : Operation.values()) {
                Spread spread = values.apply(row).get(operation);
                line.append(
                        spread == null
                                ? " ".repeat(12)
                                : String.format(Locale.ROOT, format, spread.median()));
            }
            report.progress(
                    line
                            + String.format(
                                    Locale.ROOT,
                                    " %11.4f %9.1f",
                                    100 * row.fpp(),
                                    row.bitsPerKey()));
        }
    }

    private static CsvTable table(List<Row> rows) {
        List<String> columns =
                new ArrayList<>(List.of("id", "name", "keys", "bits_per_key", "fpp"));
        for (Operation operation : Operation.values()) {
            columns.add(operation.word + "_mops");
            columns.add(operation.word + "_ratio_to_limit");
        }
        CsvTable table = new CsvTable(String.join(",", columns));
        for (Row row : rows) {
            List<Object> cells =
                    new ArrayList<>(
                            List.of(row.id(), row.name(), row.keys(), row.bitsPerKey(), row.fpp()));
            for (Operation operation : Operation.values()) {
                cells.add(cell(row.mops(), operation));
                cells.add(cell(row.ratioToLimit(), operation));
            }
            table.add(cells.toArray());
        }
        return table;
    }

    private static Object cell(Map<Operation, Spread> values, Operation operation) {
        Spread spread = values.get(operation);
        return spread == null ? "" : spread.median();
    }

    private static Chart chart(List<Row> rows) {
        Chart chart =
                Chart.bars(
                        "Throughput, one thread",
                        rows.stream().map(Row::name).toList(),
                        "millions of operations a second");
        for (Operation operation : Operation.values()) {
            chart.bars(
                    operation.word,
                    rows.stream()
                            .map(row -> row.mops().get(operation))
                            .map(mops -> mops == null ? Double.NaN : mops.median())
                            .toList());
            chart.note(operation.word + ": " + operation.meaning + ".");
        }
        return chart;
    }

    private static void figures(BenchReport report, Row row) {
        String prefix = "filters." + row.id() + ".";
        for (Operation operation : row.mops().keySet()) {
            String name = prefix + operation.word;
            report.addSilently(
                    figure(name + ".mops", row.mops().get(operation), "Mops/s", "", operation));
            report.addSilently(
                    figure(
                            name + ".ratioToLimit",
                            row.ratioToLimit().get(operation),
                            "ratio",
                            PEER,
                            operation));
        }
        report.addSilently(
                new Figure(prefix + "fpp", row.fpp(), "probability", "", "", "measured when full"));
        report.addSilently(
                new Figure(
                        prefix + "bitsPerKey",
                        row.bitsPerKey(),
                        "bits",
                        "",
                        "",
                        row.keys() + " keys"));
    }

    private static Figure figure(
            String name, Spread spread, String unit, String peer, Operation operation) {
        return new Figure(name, spread.median(), unit, peer, "", operation.meaning + "; " + spread);
    }
}
