/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.kbf;

import io.sluice.papers.figure.Agreement;
import io.sluice.papers.figure.PaperFigure;
import io.sluice.papers.figure.Run;
import io.sluice.papers.figure.Table;
import java.io.IOException;

/**
 * Figures 4 and 5: how many keys a cell holds, P_n, and how probable it is that the value of a key
 * cannot be told.
 *
 * @param item its number
 * @param decodability whether it is figure 5
 */
public record LoadFigure(int item, boolean decodability) implements PaperFigure {
    private static final double LN2 = Math.log(2);

    private static int keys(Run run) {
        return run.size(300_000, 50_000);
    }

    @Override
    public Table table(Run run) throws IOException {
        Table table = decodability ? decodability(run) : cells(run);
        table.parameters(
                (decodability ? "k from 4 to 20, rho from 1 to 3, " : "k = 10, rho = 1, 2 and 3, ")
                        + keys(run)
                        + " keys");
        return table;
    }

    private static Table cells(Run run) {
        Table table = Table.of("rho", "keys in a cell", "P_n", "measured");
        Agreement agreement = new Agreement();
        for (int rho = 1; rho <= 3; rho++) {
            Cells cells = Cells.of(Math.scalb(1.0, -10), rho, keys(run));
            int[] counts = new int[cells.all()];
            for (long key : run.random(123).longs(keys(run)).toArray()) {
                for (int i = 0; i < cells.probes(); i++) {
                    counts[cells.position(key, i)]++;
                }
            }
            double load = rho * LN2;
            double p = Math.exp(-load);
            for (int n = 0; n <= 8; n++) {
                long with = 0;
                for (int count : counts) {
                    with += count == n ? 1 : 0;
                }
                double measured = (double) with / counts.length;
                table.add(rho, n, p, measured);
                agreement.share("rho=" + rho + " n=" + n, measured, counts.length, p, 1e15);
                p *= load / (n + 1);
            }
        }
        table.plot("keys in a cell", "rho", true, "P_n", "measured");
        table.finding(
                "P_n is the Poisson probability with mean rho ln 2. A counter of 3 bits is stuck"
                        + " from 7 on: it happens to every filter of some size.");
        agreement.addTo(table, run);
        return table;
    }

    /** As in the paper: all of k random cells have three keys or more, or all but one of two. */
    static double paper(double rho, int k) {
        double load = rho * LN2;
        double two = load * load / 2 * Math.exp(-load);
        double more = 1 - Math.exp(-load) * (1 + load) - two;
        return Math.pow(more, k) + k * Math.pow(more, k - 1) * two;
    }

    /** A key's own cells hold the key: how many others do they hold? */
    static double ownCells(double rho, int k) {
        double load = rho * LN2;
        double one = load * Math.exp(-load);
        double more = 1 - Math.exp(-load) - one;
        return Math.pow(more, k) + k * Math.pow(more, k - 1) * one;
    }

    private static Table decodability(Run run) throws IOException {
        Table table = Table.of("rho", "k", "paper", "own cells", "measured");
        Agreement agreement = new Agreement();
        Table theirs = run.reference("kbf_closed_form.csv");
        for (double rho : new double[] {1, 1.5, 2, 2.5, 3}) {
            for (int k = 4; k <= 20; k += 4) {
                double own = ownCells(rho, k);
                double measured = own * keys(run) > 10 ? measured(run, rho, k) : Double.NaN;
                table.add(rho, k, paper(rho, k), own, measured);
                String at = "rho=" + rho + " k=" + k;
                if (!Double.isNaN(measured)) {
                    agreement.share(at + " measured", measured, keys(run), own, 1e15);
                }
                int row = theirs.row("rho", rho, "k", k);
                agreement.formula(at, paper(rho, k), theirs.number(row, "paper_global_fail"));
                String column = "own_cell_fail_t2(pairs;pair ambiguous only if single)";
                agreement.formula(at, own, theirs.number(row, column));
            }
        }
        table.plot("k", "rho", true, "paper", "own cells", "measured");
        table.finding(
                "The paper asks how loaded a random cell is; a key's own cells hold the key. At"
                        + " rho = 1 and k = 12 its figure is %.0f times too low.",
                table.at("own cells", 1.0, 12) / table.at("paper", 1.0, 12));
        agreement.addTo(table, run);
        return table;
    }

    /** Keys that have at most one own cell with one other key, and none without. */
    private static double measured(Run run, double rho, int k) {
        Cells cells = Cells.of(Math.scalb(1.0, -k), rho, keys(run));
        int[] counts = new int[cells.all()];
        long[] keys = run.random(124).longs(keys(run)).toArray();
        for (long key : keys) {
            for (int i = 0; i < k; i++) {
                counts[cells.position(key, i)]++;
            }
        }
        int failed = 0;
        for (long key : keys) {
            int pairs = 0;
            for (int i = 0; i < k; i++) {
                int count = counts[cells.position(key, i)];
                pairs += count == 1 ? 2 : count == 2 ? 1 : 0;
            }
            failed += pairs <= 1 ? 1 : 0;
        }
        return (double) failed / keys.length;
    }
}
