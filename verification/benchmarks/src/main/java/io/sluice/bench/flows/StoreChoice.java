/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.flows;

import io.sluice.bench.kbf.KeyValueRivals;
import io.sluice.bench.kbf.KeyValueRivals.Rival;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.report.Figure;
import io.sluice.filter.KeyValueFilter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** "kBF or a plain map?": bits per flow, error and speed at equal memory. */
final class StoreChoice {
    private static final int[] BITS = {24, 32, 48, 64, 96, 128};

    /** Settings of the figures. */
    private static final int FIGURE_BITS = 64;

    private StoreChoice() {}

    static void run(BenchReport report, PacketTrace trace) throws IOException {
        report.progress("kBF or a plain map: " + trace.flows() + " flows at equal memory");
        CsvTable table =
                new CsvTable(
                        "bits_asked,store,probes,bits_per_flow,total_error,false_positives,"
                                + "false_negatives,wrong,fin_and_rst_flows,fin_and_rst_truth,"
                                + "millions_per_second");
        Map<String, List<double[]>> lines = new LinkedHashMap<>();
        Map<String, FilteredFlows> ofFigures = new LinkedHashMap<>();
        for (int bits : BITS) {
            for (Rival rival : KeyValueRivals.atEqualMemory(bits, trace.flows(), trace.shares())) {
                KeyValueFilter filter = rival.maker().get();
                FilteredFlows followed = FilteredFlows.follow(trace, filter);
                double bitsPerFlow = 8.0 * filter.sizeInBytes() / trace.flows();
                table.add(
                        bits,
                        rival.name(),
                        rival.probes(),
                        bitsPerFlow,
                        followed.totalError(),
                        followed.share(followed.falsePositives()),
                        followed.share(followed.falseNegatives()),
                        followed.share(followed.wrong()),
                        followed.finAndRst(),
                        trace.finAndRst(),
                        followed.millionsPerSecond());
                report.progress(
                        "    %3d bits  %-18s %6.1f bits/flow  total error %.2e  %6.2f M/s",
                        bits,
                        rival.name(),
                        bitsPerFlow,
                        followed.totalError(),
                        followed.millionsPerSecond());
                lines.computeIfAbsent(rival.name(), name -> new ArrayList<>())
                        .add(new double[] {bits, followed.totalError()});
                if (bits == FIGURE_BITS) {
                    ofFigures.put(rival.name(), followed);
                }
            }
        }
        report.table("flows_store_choice.csv", table);
        Chart chart =
                Chart.logarithmic(
                        "kBF or a plain map: packets whose flow is not told right",
                        "bits per flow",
                        "share of all packets");
        lines.forEach(chart::measured);
        chart.note("An exact map has no errors; for its memory see the table.");
        report.add(chart);
        figures(report, trace, ofFigures);
    }

    private static void figures(
            BenchReport report, PacketTrace trace, Map<String, FilteredFlows> at) {
        FilteredFlows ours = at.get(KeyValueRivals.SIZED);
        FilteredFlows paper = at.get(KeyValueRivals.PAPER);
        report.add(error("flows.kbf.totalError", ours, trace, KeyValueRivals.PAPER));
        report.add(error("flows.kbfPaper.totalError", paper, trace, ""));
        report.add(error("flows.sbf.totalError", at.get(KeyValueRivals.STATE_BLOOM), trace, ""));
        FilteredFlows cuckoo = at.get(KeyValueRivals.CUCKOO_MAPLET);
        FilteredFlows quotient = at.get(KeyValueRivals.QUOTIENT_MAPLET);
        report.add(error("flows.maplet.totalError", cuckoo, trace, ""));
        report.add(error("flows.quotientMaplet.totalError", quotient, trace, ""));
        report.ratio(
                "flows.kbf.errorRatioToPaper",
                ours.totalError() / paper.totalError(),
                KeyValueRivals.PAPER,
                "<= 0.1",
                "total errors at " + FIGURE_BITS + " bits a flow, same packets");
    }

    private static Figure error(
            String name, FilteredFlows followed, PacketTrace trace, String peer) {
        return new Figure(
                name,
                followed.totalError(),
                "share",
                peer,
                "",
                String.format(
                        Locale.ROOT,
                        "packets whose flow was not told right, %d bits a flow, %d flows, %d"
                                + " packets; FIN and RST noticed of %d flows, truth %d",
                        FIGURE_BITS,
                        trace.flows(),
                        trace.packets(),
                        followed.finAndRst(),
                        trace.finAndRst()));
    }
}
