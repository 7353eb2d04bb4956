/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.flows;

import io.sluice.bench.kbf.KeyValueRivals;
import io.sluice.bench.kbf.KeyValueRivals.Rival;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.report.Figure;
import io.sluice.filter.KeyValueFilter;
import io.sluice.flink.flow.FlowStates;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * All stores of flow states over one trace of packets: over p, sized by the Bloom filter's formula
 * (the paper's case study, figures 13 to 15), and over the memory, equal for all ("kBF or a plain
 * map?").
 */
final class StoreTrials {
    private static final double[] PROBABILITIES = {0.1, 0.01, 0.001, 0.0001, 0.00001};
    private static final int[] BITS = {24, 32, 48, 64, 96, 128};

    /** Bits per flow of the figures. */
    private static final int FIGURE_BITS = 64;

    private final BenchReport report;
    private final PacketTrace trace;

    StoreTrials(BenchReport report, PacketTrace trace) {
        this.report = report;
        this.trace = trace;
    }

    /** One store over the whole trace. */
    private record Trial(double x, Rival rival, double bitsPerFlow, FilteredFlows followed) {}

    private Trial run(double x, Rival rival) {
        KeyValueFilter filter = rival.maker().get();
        FilteredFlows followed = FilteredFlows.follow(trace, filter);
        return new Trial(x, rival, 8.0 * filter.sizeInBytes() / trace.flows(), followed);
    }

    /** Over p, as in the paper. */
    void study() throws IOException {
        report.progress("figures 13 to 15: filters sized by the Bloom filter's formula");
        CsvTable table =
                new CsvTable(
                        "p,store,probes,bits_per_flow,false_positives,false_negatives,wrong,"
                                + "total_error,refused,fin_and_rst_flows,fin_and_rst_truth,"
                                + "millions_per_second");
        List<Trial> trials = new ArrayList<>();
        for (double p : PROBABILITIES) {
            for (Rival rival :
                    KeyValueRivals.bySizingOfThePaper(p, trace.flows(), FlowStates.COUNT)) {
                Trial trial = run(Math.log10(p), rival);
                trials.add(trial);
                FilteredFlows followed = trial.followed;
                table.add(
                        p,
                        rival.name(),
                        rival.probes(),
                        trial.bitsPerFlow,
                        followed.share(followed.falsePositives()),
                        followed.share(followed.falseNegatives()),
                        followed.share(followed.wrong()),
                        followed.totalError(),
                        followed.refused(),
                        followed.finAndRst(),
                        trace.finAndRst(),
                        followed.millionsPerSecond());
            }
        }
        report.table("flows_case_study.csv", table);
        FilteredFlows exact = named(trials, Math.log10(PROBABILITIES[0]), KeyValueRivals.EXACT);
        report.check(
                "flows.exact",
                exact.totalError() == 0 && exact.finAndRst() == trace.finAndRst(),
                "the exact map tells every packet's flow right, and finds %d flows with FIN and RST"
                        + " of %d",
                exact.finAndRst(),
                trace.finAndRst());
        String note =
                trace.flows()
                        + " flows, "
                        + trace.packets()
                        + " packets, none leaves. Points at zero are not drawn. All filters have"
                        + " the same number of cells, of different widths.";
        String x = "log10 of p";
        chart(
                trials,
                "Figure 13: packets of new flows taken for held ones",
                x,
                followed -> followed.share(followed.falsePositives()),
                note);
        chart(
                trials,
                "Figure 14: packets of held flows whose state is not told",
                x,
                followed -> followed.share(followed.falseNegatives()),
                note);
        chart(
                trials,
                "Figure 15: packets whose flow is not told right",
                x,
                FilteredFlows::totalError,
                note);
    }

    /** At equal memory. */
    void choice() throws IOException {
        report.progress("kBF or a plain map: " + trace.flows() + " flows at equal memory");
        CsvTable table =
                new CsvTable(
                        "bits_asked,store,probes,bits_per_flow,total_error,false_positives,"
                                + "false_negatives,wrong,fin_and_rst_flows,fin_and_rst_truth,"
                                + "millions_per_second");
        List<Trial> trials = new ArrayList<>();
        for (int bits : BITS) {
            for (Rival rival : KeyValueRivals.atEqualMemory(bits, trace.flows(), trace.shares())) {
                Trial trial = run(bits, rival);
                trials.add(trial);
                FilteredFlows followed = trial.followed;
                table.add(
                        bits,
                        rival.name(),
                        rival.probes(),
                        trial.bitsPerFlow,
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
                        trial.bitsPerFlow,
                        followed.totalError(),
                        followed.millionsPerSecond());
            }
        }
        report.table("flows_store_choice.csv", table);
        chart(
                trials,
                "kBF or a plain map: packets whose flow is not told right",
                "bits per flow",
                FilteredFlows::totalError,
                "An exact map has no errors; for its memory see the table.");
        error("flows.kbf.totalError", trials, KeyValueRivals.SIZED, KeyValueRivals.PAPER);
        error("flows.kbfPaper.totalError", trials, KeyValueRivals.PAPER, "");
        error("flows.sbf.totalError", trials, KeyValueRivals.STATE_BLOOM, "");
        error("flows.maplet.totalError", trials, KeyValueRivals.CUCKOO_MAPLET, "");
        error("flows.quotientMaplet.totalError", trials, KeyValueRivals.QUOTIENT_MAPLET, "");
        report.ratio(
                "flows.kbf.errorRatioToPaper",
                named(trials, FIGURE_BITS, KeyValueRivals.SIZED).totalError()
                        / named(trials, FIGURE_BITS, KeyValueRivals.PAPER).totalError(),
                KeyValueRivals.PAPER,
                "<= 0.1",
                "total errors at " + FIGURE_BITS + " bits a flow, same packets");
    }

    private void chart(
            List<Trial> trials,
            String title,
            String xName,
            ToDoubleFunction<FilteredFlows> y,
            String note) {
        Map<String, List<double[]>> lines = new LinkedHashMap<>();
        for (Trial trial : trials) {
            lines.computeIfAbsent(trial.rival.name(), name -> new ArrayList<>())
                    .add(new double[] {trial.x, y.applyAsDouble(trial.followed)});
        }
        Chart chart = Chart.logarithmic(title, xName, "share of all packets");
        lines.forEach(chart::measured);
        report.add(chart.note(note));
    }

    private static FilteredFlows named(List<Trial> trials, double x, String rival) {
        return trials.stream()
                .filter(trial -> trial.x == x && trial.rival.name().equals(rival))
                .findFirst()
                .orElseThrow()
                .followed;
    }

    private void error(String name, List<Trial> trials, String rival, String peer) {
        FilteredFlows followed = named(trials, FIGURE_BITS, rival);
        report.add(
                new Figure(
                        name,
                        followed.totalError(),
                        "share",
                        peer,
                        "",
                        String.format(
                                Locale.ROOT,
                                "packets whose flow was not told right, %d bits a flow, %d flows,"
                                        + " %d packets; FIN and RST noticed of %d flows, truth %d",
                                FIGURE_BITS,
                                trace.flows(),
                                trace.packets(),
                                followed.finAndRst(),
                                trace.finAndRst())));
    }
}
