/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import io.sluice.papers.fbf.ForgetfulBloomFilter.Rule;
import io.sluice.papers.fbf.MonteCarlo.Estimate;
import io.sluice.papers.figure.Agreement;
import io.sluice.papers.figure.PaperFigure;
import io.sluice.papers.figure.Run;
import io.sluice.papers.figure.Table;
import java.io.IOException;

/** Figure 10: false positives over the bits of one filter, with one past filter. */
public record BitsFigure(int item) implements PaperFigure {
    private static final int ELEMENTS = 300;
    private static final int HASHES = 5;

    @Override
    public Table table(Run run) throws IOException {
        Table table = Table.of("state", "m", "equation 2", "exact", "optimised", "simple");
        Agreement agreement = new Agreement();
        Table theirs = run.reference("fbf_fig10.csv");
        for (String state : new String[] {"twoPeriods", "threePeriods"}) {
            double[] slices = ElementsFigure.slices(state, ELEMENTS);
            for (int m = 5000; m <= 30_000; m += 2500) {
                MonteCarlo monteCarlo = MonteCarlo.of(run, m, 300_000);
                Estimate optimised = monteCarlo.measure(Rule.CORRECTED, slices);
                Estimate simple = monteCarlo.measure(Rule.SIMPLE, slices);
                double two = ForgetfulModel.equationThree(slices, m, HASHES);
                double exact = ForgetfulModel.neighbourPairs(slices, m, HASHES);
                table.add(state, m, two, exact, optimised.mean(), simple.mean());
                int row = theirs.row("model", state, "m", m);
                String at = state + " m=" + m;
                double probes = theirs.number(row, "queries");
                optimised.compare(agreement, at, theirs.number(row, "mc_opt"), probes);
                simple.compare(agreement, at + " simple", theirs.number(row, "mc_simple"), probes);
                agreement.formula(at, two, theirs.number(row, "eq3"));
                agreement.formula(at, exact, theirs.number(row, "exact_opt"));
            }
        }
        table.plot("m", "state", true, "simple", "optimised", "exact");
        table.finding(
                "The paper's 200,000 probes cannot have measured its tail of 1e-7 and 1e-8, nor do"
                        + " these: there only the formula counts.");
        agreement.addTo(table, run);
        table.parameters("300 elements, k = 5, N = 1, in two or three periods");
        return table;
    }
}
