/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.flows;

import io.sluice.bench.kbf.KeyValueRivals;
import io.sluice.bench.kbf.KeyValueRivals.Rival;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import io.sluice.filter.KeyValueFilter;
import io.sluice.flink.flow.FlowStates;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The paper's case study, figures 13 to 15: flows followed by filters that are sized by the Bloom
 * filter's formula for p, over p.
 */
final class CaseStudy {
    private static final double[] PROBABILITIES = {0.1, 0.01, 0.001, 0.0001, 0.00001};

    private final BenchReport report;
    private final PacketTrace trace;
    private final CsvTable table =
            new CsvTable(
                    "p,store,probes,bits_per_flow,false_positives,false_negatives,wrong,"
                            + "total_error,refused,fin_and_rst_flows,fin_and_rst_truth,"
                            + "millions_per_second");
    private final Map<String, List<double[]>> positives = new LinkedHashMap<>();
    private final Map<String, List<double[]>> negatives = new LinkedHashMap<>();
    private final Map<String, List<double[]>> totals = new LinkedHashMap<>();

    private CaseStudy(BenchReport report, PacketTrace trace) {
        this.report = report;
        this.trace = trace;
    }

    static void run(BenchReport report, PacketTrace trace) throws IOException {
        new CaseStudy(report, trace).run();
    }

    private void run() throws IOException {
        report.progress("figures 13 to 15: filters sized by the Bloom filter's formula");
        for (double p : PROBABILITIES) {
            for (Rival rival :
                    KeyValueRivals.bySizingOfThePaper(p, trace.flows(), FlowStates.COUNT)) {
                point(p, rival);
            }
        }
        report.table("flows_case_study.csv", table);
        chart("Figure 13: packets of new flows taken for held ones", positives);
        chart("Figure 14: packets of held flows whose state is not told", negatives);
        chart("Figure 15: packets whose flow is not told right", totals);
    }

    private void point(double p, Rival rival) {
        KeyValueFilter filter = rival.maker().get();
        FilteredFlows followed = FilteredFlows.follow(trace, filter);
        double bits = 8.0 * filter.sizeInBytes() / trace.flows();
        table.add(
                p,
                rival.name(),
                rival.probes(),
                bits,
                followed.share(followed.falsePositives()),
                followed.share(followed.falseNegatives()),
                followed.share(followed.wrong()),
                followed.totalError(),
                followed.refused(),
                followed.finAndRst(),
                trace.finAndRst(),
                followed.millionsPerSecond());
        double x = Math.log10(p);
        add(positives, rival, x, followed.share(followed.falsePositives()));
        add(negatives, rival, x, followed.share(followed.falseNegatives()));
        add(totals, rival, x, followed.totalError());
        if (rival.name().equals(KeyValueRivals.EXACT) && p == PROBABILITIES[0]) {
            report.check(
                    "flows.exact",
                    followed.totalError() == 0 && followed.finAndRst() == trace.finAndRst(),
                    "the exact map tells every packet's flow right, and finds "
                            + followed.finAndRst()
                            + " flows with FIN and RST of "
                            + trace.finAndRst());
        }
    }

    private static void add(Map<String, List<double[]>> lines, Rival rival, double x, double y) {
        lines.computeIfAbsent(rival.name(), name -> new ArrayList<>()).add(new double[] {x, y});
    }

    private void chart(String title, Map<String, List<double[]>> lines) {
        Chart chart = Chart.logarithmic(title, "log10 of p", "share of all packets");
        lines.forEach(chart::measured);
        chart.note(
                trace.flows()
                        + " flows, "
                        + trace.packets()
                        + " packets, none leaves. Points at zero are not drawn. All filters have"
                        + " the same number of cells, of different widths.");
        report.add(chart);
    }
}
