/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.filters;

import io.sluice.bench.jmh.Throughput;
import io.sluice.bench.jmh.TimedOperation;
import io.sluice.bench.peer.Peer;
import io.sluice.bench.peer.Peers;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.Figure;
import io.sluice.bench.report.Spread;
import io.sluice.papers.figure.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;

/**
 * Measured structures as a printed table, {@code filters.csv}, a plot, and figures {@code
 * filters.ID.OPERATION.mops}, {@code .ratioToLimit}, {@code filters.ID.fpp} and {@code
 * filters.ID.bitsPerKey}.
 */
final class FiltersReport {
    private final BenchReport report;
    private final Throughput measured;
    private final List<Peer> peers;
    private final long keys;

    FiltersReport(BenchReport report, Throughput measured, List<Peer> peers, long keys) {
        this.report = report;
        this.measured = measured;
        this.peers = peers;
        this.keys = keys;
    }

    void write() throws IOException {
        print("M/s", " %11.1f", measured::mops);
        print("of one random line", " %11.2f", this::ratioToLimit);
        report.table("filters.csv", table());
        report.add(chart());
        peers.forEach(this::figures);
        removable(Peers.CUCKOOFILTER4J, "Cuckoofilter4j");
        removable(Peers.COMMONS, "CommonsCountingBloom");
    }

    private Spread ratioToLimit(String id, TimedOperation operation) {
        return measured.ratio(id, Peers.ONE_LINE.id(), operation);
    }

    private void print(
            String title, String format, BiFunction<String, TimedOperation, Spread> values) {
        StringBuilder lines = new StringBuilder(String.format("    %-26s", title));
        for (TimedOperation operation : TimedOperation.values()) {
            lines.append(String.format(" %11s", operation.word()));
        }
        lines.append("       fpp %  bits/key");
        for (Peer peer : peers) {
            lines.append(String.format("%n    %-26s", peer.name()));
            for (TimedOperation operation : TimedOperation.values()) {
                lines.append(
                        measured.has(peer.id(), operation)
                                ? String.format(
                                        Locale.ROOT,
                                        format,
                                        values.apply(peer.id(), operation).median())
                                : " ".repeat(12));
            }
            double fpp = 100 * measured.fpp(peer.id());
            double bits = measured.bitsPerKey(peer.id());
            lines.append(String.format(Locale.ROOT, " %11.4f %9.1f", fpp, bits));
        }
        report.progress(lines.toString());
    }

    private Table table() {
        StringBuilder columns = new StringBuilder("id,name,keys,bits_per_key,fpp");
        for (TimedOperation each : TimedOperation.values()) {
            columns.append(',').append(each.word()).append("_mops,");
            columns.append(each.word()).append("_ratio_to_limit");
        }
        Table table = Table.of(columns.toString().split(","));
        for (Peer peer : peers) {
            String id = peer.id();
            List<Object> cells = new ArrayList<>(List.of(id, peer.name(), keys));
            cells.add(measured.bitsPerKey(id));
            cells.add(measured.fpp(id));
            for (TimedOperation operation : TimedOperation.values()) {
                boolean can = measured.has(id, operation);
                cells.add(can ? measured.mops(id, operation).median() : "");
                cells.add(can ? ratioToLimit(id, operation).median() : "");
            }
            table.add(cells.toArray());
        }
        return table;
    }

    private Chart chart() {
        Chart chart =
                Chart.bars(
                        "Throughput, one thread",
                        peers.stream().map(Peer::name).toList(),
                        "millions of operations a second");
        for (TimedOperation operation : TimedOperation.values()) {
            List<Double> bars = new ArrayList<>();
            for (Peer peer : peers) {
                boolean can = measured.has(peer.id(), operation);
                bars.add(can ? measured.mops(peer.id(), operation).median() : Double.NaN);
            }
            chart.bars(operation.word(), bars);
            chart.note(operation.word() + ": " + operation.meaning() + ".");
        }
        return chart;
    }

    private void figures(Peer peer) {
        String prefix = "filters." + peer.id() + ".";
        for (TimedOperation operation : TimedOperation.values()) {
            if (measured.has(peer.id(), operation)) {
                String name = prefix + operation.word();
                Spread mops = measured.mops(peer.id(), operation);
                Spread ratio = ratioToLimit(peer.id(), operation);
                figure(name + ".mops", mops.median(), "Mops/s", "", note(operation, mops));
                figure(
                        name + ".ratioToLimit",
                        ratio.median(),
                        "ratio",
                        "one random line, in the same round",
                        note(operation, ratio));
            }
        }
        figure(prefix + "fpp", measured.fpp(peer.id()), "probability", "", "measured when full");
        figure(prefix + "bitsPerKey", measured.bitsPerKey(peer.id()), "bits", "", keys + " keys");
    }

    private static String note(TimedOperation operation, Spread spread) {
        return operation.meaning() + "; " + spread;
    }

    /** Figures that the printed table has. */
    private void figure(String name, double value, String unit, String peer, String note) {
        report.addSilently(new Figure(name, value, unit, peer, "", note));
    }

    /** Compares the quotient filter's add-if-absent with another filter that can remove keys. */
    private void removable(Peer peer, String word) {
        if (peers.contains(Peers.QUOTIENT) && peers.contains(peer)) {
            TimedOperation add = TimedOperation.ADD_IF_ABSENT;
            Spread ratio = measured.ratio(Peers.QUOTIENT.id(), peer.id(), add);
            report.ratio(
                    "qf.addIfAbsent.ratioTo" + word,
                    ratio.median(),
                    peer.name(),
                    ">= 2",
                    "%s; %d keys; the peer at %.1f bits a key, fpp %.4f; %s",
                    add.meaning(),
                    keys,
                    measured.bitsPerKey(peer.id()),
                    measured.fpp(peer.id()),
                    ratio);
        }
    }
}
