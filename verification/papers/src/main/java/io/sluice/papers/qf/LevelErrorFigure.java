/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.qf;

import io.sluice.papers.figure.Agreement;
import io.sluice.papers.figure.PaperFigure;
import io.sluice.papers.figure.Run;
import io.sluice.papers.figure.Table;
import java.io.IOException;

/**
 * The error of a cascade of quotient filters: the sum over its levels, where the paper names that
 * of the largest level alone.
 */
public record LevelErrorFigure(int item) implements PaperFigure {
    private static final int TOP_BITS = 20;
    private static final double LOAD = 0.75;

    @Override
    public Table table(Run run) throws IOException {
        Table table = Table.of("p", "levels", "largest level", "all levels", "ratio");
        Table theirs = run.reference("cf_fpr.csv");
        Agreement agreement = new Agreement();
        for (int p : new int[] {29, 31, 33}) {
            for (int levels : new int[] {1, 2, 4, 7}) {
                double none = 1;
                for (int level = 0; level < levels; level++) {
                    none *= 1 - levelError(p, TOP_BITS - level);
                }
                double largest = levelError(p, TOP_BITS);
                double all = 1 - none;
                table.add(p, levels, largest, all, all / largest);
                int row = theirs.row("p", p, "levels_full", levels);
                String at = "p=" + p + " levels=" + levels;
                agreement.formula(at, largest, theirs.number(row, "fpr_largest_only"));
                // Theirs is the plain sum.
                agreement.formula(
                        at, all, all * (1 + largest), theirs.number(row, "fpr_sum_levels"));
            }
        }
        table.finding(
                "A smaller level has longer remainders, so the sum is at most twice the largest"
                        + " level's: %.2f times with seven levels.",
                table.at("ratio", 31, 7));
        agreement.addTo(table, run);
        table.parameters(
                "fingerprints of p bits, 2^20 slots in the largest level, half of it in each"
                        + " smaller one, all at a load of 0.75");
        return table;
    }

    private static double levelError(int p, int quotientBits) {
        return -Math.expm1(-LOAD / Math.scalb(1.0, p - quotientBits));
    }
}
