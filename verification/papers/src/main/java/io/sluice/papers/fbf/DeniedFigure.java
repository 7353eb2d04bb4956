/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import io.sluice.papers.fbf.ForgetfulBloomFilter.Rule;
import io.sluice.papers.figure.Agreement;
import io.sluice.papers.figure.PaperFigure;
import io.sluice.papers.figure.Run;
import io.sluice.papers.figure.Table;
import java.io.IOException;
import java.util.Locale;
import java.util.SplittableRandom;

/** Elements within the window that Algorithm 2 denies, to the letter and corrected. */
public record DeniedFigure(int item) implements PaperFigure {
    private static final int PER_SLICE = 40;
    private static final int FILLINGS = 20;

    @Override
    public Table table(Run run) throws IOException {
        Table table = Table.of("N", "phase", "rule", "within (N+1)t", "denied");
        Table theirs = run.reference("fbf_false_negatives.csv");
        Agreement agreement = new Agreement();
        long corrected = 0;
        long printed = 0;
        for (int past : new int[] {1, 2, 4, 10, 22}) {
            for (double phase : new double[] {0.01, 0.5, 0.99}) {
                for (Rule rule : new Rule[] {Rule.AS_PRINTED, Rule.CORRECTED}) {
                    int denied = denied(run, past, (int) (phase * PER_SLICE), rule);
                    String name = rule == Rule.CORRECTED ? "corrected" : "literalAlg2";
                    String at = String.format(Locale.ROOT, "%.2f", phase);
                    table.add(past, at, name, (past + 1) * PER_SLICE * FILLINGS, denied);
                    corrected += rule == Rule.CORRECTED ? denied : 0;
                    printed += rule == Rule.CORRECTED ? 0 : denied;
                    int row = theirs.row("N", past, "phase_frac", phase, "algo", name);
                    // Theirs places elements in time: one more or less falls into a slice.
                    double missed = theirs.number(row, "false_neg_within");
                    agreement.near("N=" + past + " " + at, denied, missed, FILLINGS / 4.0);
                }
            }
        }
        table.finding(
                "With more than one past filter the chain of conditions of Algorithm 2 never tests"
                        + " the oldest filter alone: what only that one holds is denied within the"
                        + " window.");
        table.check(
                "Algorithm 2",
                corrected == 0 && printed > 0,
                "%d elements denied as printed, %d corrected",
                printed,
                corrected);
        agreement.addTo(table, run);
        table.parameters(
                "m = 6250, k = 5, 40 elements per slice, three times between two refreshes; 20"
                        + " fillings");
        return table;
    }

    private static int denied(Run run, int past, int newest, Rule rule) {
        int denied = 0;
        for (int filling = 0; filling < FILLINGS; filling++) {
            SplittableRandom random = run.random(filling);
            // Two more slices than the filter holds, so that something has been forgotten.
            long[] elements = random.longs((past + 3L) * PER_SLICE + newest).toArray();
            ForgetfulBloomFilter filter = new ForgetfulBloomFilter(6250, 5, past, rule);
            for (int i = 0; i < elements.length; i++) {
                if (i > 0 && i % PER_SLICE == 0) {
                    filter.refresh();
                }
                filter.put(elements[i]);
            }
            if (newest == 0) {
                filter.refresh();
            }
            for (int age = 0; age < (past + 1) * PER_SLICE; age++) {
                denied += filter.mightContain(elements[elements.length - 1 - age]) ? 0 : 1;
            }
        }
        return denied;
    }
}
