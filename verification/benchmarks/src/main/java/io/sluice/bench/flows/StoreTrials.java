/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.flows;

import io.sluice.bench.kbf.KeyValueRivals;
import io.sluice.bench.kbf.KeyValueRivals.Rival;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.Figure;
import io.sluice.filter.KeyValueFilter;
import io.sluice.papers.figure.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * All stores of flow states over one trace of packets, at equal memory ("kBF or a plain map?"). The
 * paper's case study, whose memory follows the Bloom filter's formula, is among the papers'
 * figures.
 */
final class StoreTrials {
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
    private record Trial(int bits, Rival rival, double bitsPerFlow, FilteredFlows followed) {}

    private Trial run(int bits, Rival rival) {
        KeyValueFilter filter = rival.maker().get();
        FilteredFlows followed = FilteredFlows.follow(trace, filter);
        return new Trial(bits, rival, 8.0 * filter.sizeInBytes() / trace.flows(), followed);
    }

    /** At equal memory. */
    void run() throws IOException {
        report.progress("kBF or a plain map: " + trace.flows() + " flows at equal memory");
        Table table =
                Table.of(
                        ("bits_asked,store,probes,bits_per_flow,total_error,false_positives,"
                             + "false_negatives,wrong,fin_and_rst_flows,fin_and_rst_truth,"
                             + "millions_per_second")
                                .split(","));
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
        Map<String, List<double[]>> lines = new LinkedHashMap<>();
        for (Trial trial : trials) {
            lines.computeIfAbsent(trial.rival.name(), name -> new ArrayList<>())
                    .add(new double[] {trial.bits, trial.followed.totalError()});
        }
        Chart chart =
                Chart.logarithmic(
                        "kBF or a plain map: packets whose flow is not told right",
                        "bits per flow",
                        "share of all packets");
        lines.forEach(chart::measured);
        report.add(chart.note("An exact map has no errors; for its memory see the table."));
        FilteredFlows exact = named(trials, KeyValueRivals.EXACT);
        report.check(
                "flows.exact",
                exact.totalError() == 0 && exact.finAndRst() == trace.finAndRst(),
                "the exact map tells every packet's flow right, and finds %d flows with FIN and RST"
                        + " of %d",
                exact.finAndRst(),
                trace.finAndRst());
        error("flows.kbf.totalError", trials, KeyValueRivals.SIZED, KeyValueRivals.PAPER);
        error("flows.kbfPaper.totalError", trials, KeyValueRivals.PAPER, "");
        error("flows.sbf.totalError", trials, KeyValueRivals.STATE_BLOOM, "");
        error("flows.maplet.totalError", trials, KeyValueRivals.CUCKOO_MAPLET, "");
        error("flows.quotientMaplet.totalError", trials, KeyValueRivals.QUOTIENT_MAPLET, "");
        report.ratio(
                "flows.kbf.errorRatioToPaper",
                named(trials, KeyValueRivals.SIZED).totalError()
                        / named(trials, KeyValueRivals.PAPER).totalError(),
                KeyValueRivals.PAPER,
                "<= 0.1",
                "total errors at " + FIGURE_BITS + " bits a flow, same packets");
    }

    private static FilteredFlows named(List<Trial> trials, String rival) {
        return trials.stream()
                .filter(trial -> trial.bits == FIGURE_BITS && trial.rival.name().equals(rival))
                .findFirst()
                .orElseThrow()
                .followed;
    }

    private void error(String name, List<Trial> trials, String rival, String peer) {
        FilteredFlows followed = named(trials, rival);
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
