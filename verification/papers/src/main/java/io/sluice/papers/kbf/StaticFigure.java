/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.kbf;

import io.sluice.filter.KeyValueFilter;
import io.sluice.papers.figure.Agreement;
import io.sluice.papers.figure.PaperFigure;
import io.sluice.papers.figure.Run;
import io.sluice.papers.figure.Table;
import io.sluice.papers.kbf.Workload.Structure;
import java.io.IOException;
import java.util.Map;
import java.util.SplittableRandom;

/** Figures 6, 7 and 8: false negatives, false positives and memory after insertions alone. */
public record StaticFigure(int item) implements PaperFigure {

    /** The reference's names of the structures. */
    private static final Map<Structure, String> THEIRS =
            Map.of(
                    Structure.STATE_BLOOM, "sBF",
                    Structure.PAPER, "kBF-XOR-t2(paper)",
                    Structure.INTERSECTING, "kBF-XOR-t2(paper)",
                    Structure.PRODUCT, "BoseChowla-h2");

    private static int keys(Run run) {
        return run.size(200_000, 20_000);
    }

    @Override
    public Table table(Run run) throws IOException {
        Table table = Table.of("values", "p", "m", "structure", "not told", "false value", "bits");
        Agreement agreement = new Agreement();
        int wrong = 0;
        for (Workload workload : Workload.values()) {
            for (double p : new double[] {1e-3, 1e-4, 1e-6}) {
                for (int rho = 1; rho <= 2; rho++) {
                    for (Structure structure : Structure.values()) {
                        wrong += point(run, table, agreement, workload, p, rho, structure);
                    }
                }
            }
        }
        table.finding(
                "Nothing that is told is wrong. With many values the kBF tells more than the State"
                        + " Bloom filter; where most keys have one state, equal encodings cancel.");
        table.check("told values", wrong == 0, "%d of all told values are wrong", wrong);
        agreement.addTo(table, run);
        table.parameters(
                keys(run)
                        + " keys, as many absent ones; m by the paper's sizing for p, and m / 2;"
                        + " cells of 32 bits as printed, as wide as their code otherwise");
        return table;
    }

    private static int point(
            Run run,
            Table table,
            Agreement agreement,
            Workload workload,
            double p,
            int rho,
            Structure structure)
            throws IOException {
        int count = keys(run);
        KeyValueFilter filter =
                Workload.create(structure, Cells.of(p, rho, count), workload.size());
        long[] keys = run.random(125).longs(2L * count).toArray();
        SplittableRandom random = run.random(126);
        int[] values = new int[count];
        for (int i = 0; i < count; i++) {
            values[i] = workload.draw(random);
            filter.insert(keys[i], values[i]);
        }
        int unknown = 0;
        int claimed = 0;
        int wrong = 0;
        for (int i = 0; i < count; i++) {
            int found = filter.query(keys[i]);
            unknown += found == KeyValueFilter.AMBIGUOUS ? 1 : 0;
            wrong += found != KeyValueFilter.AMBIGUOUS && found != values[i] ? 1 : 0;
            claimed += filter.query(keys[count + i]) >= 0 ? 1 : 0;
        }
        double told = (double) unknown / count;
        double absent = (double) claimed / count;
        String m = rho == 1 ? "m" : "m / 2";
        double bits = 8.0 * filter.sizeInBytes() / count;
        table.add(workload.title, p, m, structure.title, told, absent, bits);
        Table theirs = run.reference("kbf_paper_experiment_small.csv");
        int row =
                theirs.row(
                        "workload",
                        workload.title,
                        "variant",
                        THEIRS.get(structure),
                        "p",
                        p,
                        "rho",
                        rho);
        String at = workload.title + " p=" + p + " " + m + " " + structure.title;
        double n = theirs.number(row, "n");
        boolean first = structure == Structure.PAPER;
        if (!first) {
            agreement.share(at + " told", told, count, theirs.number(row, "FN"), n);
        }
        if (structure != Structure.STATE_BLOOM) {
            String column = first ? "FP_firsthit(paper rule1)" : "FP_intersect";
            agreement.share(at, absent, count, theirs.number(row, column), n);
        }
        return wrong;
    }
}
