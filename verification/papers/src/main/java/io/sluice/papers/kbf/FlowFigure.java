/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.kbf;

import io.sluice.filter.KeyValueFilter;
import io.sluice.papers.figure.PaperFigure;
import io.sluice.papers.figure.Run;
import io.sluice.papers.figure.Table;
import io.sluice.papers.kbf.Trace.Step;
import io.sluice.papers.kbf.Workload.Structure;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Figures 13, 14 and 15: the states of TCP flows in a filter. A flow is a pair of addresses, its
 * state the flags of its last packet, and FIN or RST deletes it, as in the paper; and the same
 * without deletions.
 */
public record FlowFigure(int item) implements PaperFigure {
    private static final String POSITIVES = "false positives";
    private static final String NEGATIVES = "false negatives";
    private static final double[] PROBABILITIES = {0.1, 0.01, 0.001};

    @Override
    public Table table(Run run) throws IOException {
        Trace trace = Trace.generate(run.size(200_000, 20_000), run.seed());
        Table table = Table.of("deletes", "p", "structure", POSITIVES, NEGATIVES, "total");
        for (String deletes : new String[] {"at FIN and RST", "never"}) {
            for (double p : PROBABILITIES) {
                for (Structure structure : Structure.values()) {
                    double[] e = follow(trace, p, structure, !deletes.equals("never"));
                    table.add(deletes, p, structure.title, e[0], e[1], e[0] + e[1]);
                }
            }
        }
        table.plot("p", "structure", true, POSITIVES, NEGATIVES, "total");
        double with = ratio(table, "at FIN and RST");
        double without = ratio(table, "never");
        table.finding(
                "%d packets, %d pairs of addresses at once, %d altogether. At p = 0.001 the State"
                    + " Bloom filter has %.1f times the false negatives of the kBF as printed when"
                    + " flows are deleted, %.1f times when none is.",
                trace.steps().size(), trace.most(true), trace.most(false), with, without);
        table.check("the paper's claim", with > 2, "%.1f times the false negatives", with);
        table.parameters(
                "generated traffic of "
                        + run.size(200_000, 20_000)
                        + " connections; sized by p for the most pairs of addresses held at once");
        return table;
    }

    private static double ratio(Table table, String deletes) {
        double paper = table.at(NEGATIVES, deletes, 0.001, Structure.PAPER.title);
        return table.at(NEGATIVES, deletes, 0.001, Structure.STATE_BLOOM.title)
                / Math.max(paper, 1e-9);
    }

    /** Shares of packets: of false positives and of false negatives. */
    private static double[] follow(Trace trace, double p, Structure structure, boolean deletes) {
        KeyValueFilter filter =
                Workload.create(structure, Cells.of(p, 1, trace.most(deletes)), Trace.STATES);
        Map<Long, Integer> truth = new HashMap<>();
        int positives = 0;
        int negatives = 0;
        for (Step step : trace.steps()) {
            Integer state = truth.get(step.flow());
            int told = filter.query(step.flow());
            positives += state == null && told != KeyValueFilter.ABSENT ? 1 : 0;
            negatives += state != null && told != state ? 1 : 0;
            boolean ends = deletes && step.ends();
            if (told == KeyValueFilter.ABSENT && !ends) {
                filter.insert(step.flow(), step.flags());
            } else if (told >= 0 && ends) {
                filter.remove(step.flow(), told);
            } else if (told >= 0 && told != step.flags()) {
                filter.update(step.flow(), told, step.flags());
            }
            if (ends) {
                truth.remove(step.flow());
            } else {
                truth.put(step.flow(), step.flags());
            }
        }
        double packets = trace.steps().size();
        return new double[] {positives / packets, negatives / packets};
    }
}
