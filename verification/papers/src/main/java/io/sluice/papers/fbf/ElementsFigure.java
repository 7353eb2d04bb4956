/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import io.sluice.papers.fbf.ForgetfulBloomFilter.Rule;
import io.sluice.papers.fbf.MonteCarlo.Estimate;
import io.sluice.papers.figure.Agreement;
import io.sluice.papers.figure.PaperFigure;
import io.sluice.papers.figure.Run;
import io.sluice.papers.figure.Table;
import java.io.IOException;

/**
 * Figures 8 and 9: false positives over the number of elements, with one past filter. The paper
 * does not give the filter's state; every state that its text allows is measured.
 *
 * @param item its number
 * @param formulas whether the optimised check is compared with its formulas (figure 9), or with the
 *     simple check (figure 8)
 */
public record ElementsFigure(int item, boolean formulas) implements PaperFigure {

    private static final int BITS = 6250;
    private static final int HASHES = 5;
    private static final int MOST = 1500;

    /** Elements a period at 30 a second and a refresh every 5 s. */
    private static final int PERIOD = 150;

    private static final String[] STATES = {
        "twoPeriods", "steadyBefore(4+periods)", "steadyAfterRefresh", "fixedRate30ps"
    };

    @Override
    public Table table(Run run) throws IOException {
        Table table =
                formulas
                        ? Table.of("state", "elements", "equation 2", "exact", "measured", "error")
                        : Table.of("state", "elements", "simple", "optimised", "saved", "exact");
        Agreement agreement = new Agreement();
        for (String state : STATES) {
            for (int x = 100; x <= MOST; x += x < 600 ? 100 : 300) {
                point(run, table, agreement, state, x);
            }
        }
        if (formulas) {
            table.plot("elements", "state", true, "measured", "exact");
            table.finding(
                    "Equation 2 has a pair that the oldest filter alone implies; without it the"
                            + " formula is exact. The difference is below 1 %%.");
        } else {
            table.plot("elements", "state", true, "simple", "optimised");
            table.finding(
                    "The paper's 90 %% fewer false positives at 300 elements hold while the filter"
                            + " starts: two periods give %.0f %%. In the steady state the oldest"
                            + " filter is always tested alone and holds two periods: %.0f %% just"
                            + " before a refresh, %.0f %% just after one.",
                    100 * table.at("saved", STATES[0], 300),
                    100 * table.at("saved", STATES[1], 300),
                    100 * table.at("saved", STATES[2], 300));
        }
        agreement.addTo(table, run);
        table.parameters(
                "m = 6250, k = 5, N = 1; states: exactly two periods since the start, steady before"
                    + " and after a refresh, 30 elements a second since the start with t = 5 s");
        return table;
    }

    private void point(Run run, Table table, Agreement agreement, String state, int x)
            throws IOException {
        double[] slices = slices(state, x);
        MonteCarlo monteCarlo = MonteCarlo.of(run, BITS, 100_000);
        Estimate optimised = monteCarlo.measure(Rule.CORRECTED, slices);
        double two = ForgetfulModel.equationThree(slices, BITS, HASHES);
        double exact = ForgetfulModel.neighbourPairs(slices, BITS, HASHES);
        Table theirs = run.reference("fbf_fig8_fig9.csv");
        int row = theirs.row("model", state, "elements", x);
        String at = state + " " + x;
        if (formulas) {
            table.add(state, x, two, exact, optimised.mean(), optimised.standardError());
            agreement.formula(at, two, theirs.number(row, "eq3"));
            agreement.formula(at, exact, theirs.number(row, "exact_opt"));
            optimised.compare(agreement, at, theirs.number(row, "mc_opt"), 1.6e6);
            return;
        }
        Estimate simple = monteCarlo.measure(Rule.SIMPLE, slices);
        double saved = simple.mean() == 0 ? 0 : 1 - optimised.mean() / simple.mean();
        table.add(state, x, simple.mean(), optimised.mean(), saved, exact);
        simple.compare(agreement, at + " simple", theirs.number(row, "mc_simple"), 1.6e6);
        agreement.formula(
                at + " simple",
                ForgetfulModel.simple(slices, BITS, HASHES),
                theirs.number(row, "exact_simple"));
        agreement.formula(
                at + " product",
                ForgetfulModel.simpleIndependent(slices, BITS, HASHES),
                theirs.number(row, "eq_simple_indep"));
    }

    /** Elements per slice when there are {@code x}, from the newest slice. */
    static double[] slices(String state, int x) {
        int third = x / 3;
        int half = x / 2;
        return switch (state) {
            case "twoPeriods" -> new double[] {x - half, half, 0};
            case "threePeriods", "steadyBefore(4+periods)" ->
                    new double[] {x - 2 * third, third, third};
            case "steadyAfterRefresh" -> new double[] {0, third, third};
            case "fixedRate30ps" -> {
                int newest = (x - 1) % PERIOD + 1;
                int older = x - newest;
                yield new double[] {
                    newest, Math.min(PERIOD, older), Math.min(PERIOD, Math.max(0, older - PERIOD))
                };
            }
            default -> throw new IllegalArgumentException("unknown state " + state);
        };
    }
}
