/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.kbf;

import io.sluice.filter.KeyValueFilter;
import io.sluice.papers.figure.PaperFigure;
import io.sluice.papers.figure.Run;
import io.sluice.papers.figure.Table;
import io.sluice.papers.kbf.Workload.Structure;
import java.util.SplittableRandom;

/**
 * Figures 9 and 10, false positives after each batch of deletions, and 11 and 12, false negatives
 * after each batch of updates, for m and m / 2. A caller knows what the filter tells: it asks, and
 * then deletes or updates what it was told.
 */
public record BatchFigure(int item, boolean deletes) implements PaperFigure {
    private static final int BATCHES = 10;
    private static final double P = 1e-3;

    private static int keys(Run run) {
        return run.size(100_000, 20_000);
    }

    @Override
    public Table table(Run run) {
        String rate = deletes ? "false positives" : "false negatives";
        Table table = Table.of("m", "structure", "batches", rate, "refused", "wrong values");
        for (int rho = 1; rho <= 2; rho++) {
            for (Structure structure : Structure.values()) {
                batches(run, table, rho, structure);
            }
        }
        table.plot("batches", "structure", true, rate);
        String half = "m / 2";
        int last = deletes ? 5 : BATCHES;
        double before = table.at(rate, half, Structure.PAPER.title, 0);
        double paper = table.at(rate, half, Structure.PAPER.title, last);
        double state = table.at(rate, half, Structure.STATE_BLOOM.title, last);
        if (deletes) {
            table.finding(
                    "With m / 2 the false positives of the kBF as printed fall from %.4f to %.4f in"
                            + " five batches. What a filter cannot tell, it cannot delete: the"
                            + " State Bloom filter refuses %.0f deletions in all, the kBF %.0f.",
                    before,
                    paper,
                    table.at("refused", half, Structure.STATE_BLOOM.title, BATCHES),
                    table.at("refused", half, Structure.PAPER.title, BATCHES));
            table.check("false positives fall", paper < before, "%.4f, %.4f", before, paper);
        } else {
            table.finding(
                    "After 10 batches of updates and with m / 2 the kBF as printed fails to tell"
                            + " %.4f of its keys, the State Bloom filter %.4f.",
                    paper, state);
            table.check("fewer than the State Bloom filter", paper < state, "%.4f", paper);
        }
        table.parameters(
                keys(run)
                        + " keys of 3,000 values, p = 1e-3, m and m / 2; 10 batches of a tenth of"
                        + " the keys, "
                        + (deletes ? "each key once" : "drawn anew, each to another value"));
        return table;
    }

    private void batches(Run run, Table table, int rho, Structure structure) {
        int count = keys(run);
        Workload workload = Workload.UNIFORM;
        KeyValueFilter filter =
                Workload.create(structure, Cells.of(P, rho, count), workload.size());
        long[] keys = run.random(125).longs(2L * count).toArray();
        SplittableRandom random = run.random(127);
        int[] values = new int[count];
        for (int i = 0; i < count; i++) {
            values[i] = workload.draw(random);
            filter.insert(keys[i], values[i]);
        }
        int refused = 0;
        String m = rho == 1 ? "m" : "m / 2";
        for (int batch = 0; batch <= BATCHES; batch++) {
            for (int i = 0; batch > 0 && i < count / BATCHES; i++) {
                int key = deletes ? (batch - 1) * (count / BATCHES) + i : random.nextInt(count);
                int told = filter.query(keys[key]);
                int next = workload.draw(random);
                boolean done =
                        told >= 0
                                && (deletes
                                        ? filter.remove(keys[key], told)
                                        : filter.update(keys[key], told, next));
                refused += done ? 0 : 1;
                values[key] = deletes ? KeyValueFilter.ABSENT : next;
            }
            int failed = 0;
            int wrong = 0;
            for (int i = 0; i < count; i++) {
                int found = filter.query(keys[deletes ? count + i : i]);
                failed += (deletes ? found >= 0 : found < 0) ? 1 : 0;
                wrong += !deletes && found >= 0 && found != values[i] ? 1 : 0;
            }
            if (batch < 3 || batch % 5 == 0) {
                double share = (double) failed / count;
                table.add(m, structure.title, batch, share, refused, wrong);
            }
        }
    }
}
