/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.bench.fbf.MonteCarlo.Estimate;
import java.util.List;
import org.junit.jupiter.api.Test;

class MonteCarloTest {
    private static final long SEED = Long.getLong("test.seed", 20261101L);

    /** A small table, so that a wrong rule, state or formula would show at once. */
    @Test
    void bothFiltersAgreeWithTheExactFormula() {
        for (String model : List.of("twoPeriods", "threePeriods", "steadyAfterRefresh")) {
            FilterState state = FigureEightNine.state(model, 600);
            for (Subject.Factory factory :
                    List.of(
                            Subject.plain(PlainFilters.Rule.CORRECTED),
                            Subject.sluicePaperRule())) {
                Estimate estimate =
                        new MonteCarlo(factory, FbfRun.BITS, FbfRun.HASHES, 16, 20_000, SEED)
                                .measure(List.of(state));
                double expected = Formulas.exact(state, estimate.bits());
                assertThat(estimate.mean())
                        .as("%s, seed %d", model, SEED)
                        .isCloseTo(
                                expected, within(5 * estimate.standardError() + 0.01 * expected));
            }
        }
    }

    @Test
    void equalSeedsGiveEqualResults() {
        MonteCarlo monteCarlo = new MonteCarlo(Subject.sluiceSlicesRule(), 1000, 5, 4, 1000, SEED);
        List<FilterState> states = List.of(FilterState.of(100, 100, 100));
        assertThat(monteCarlo.measure(states)).isEqualTo(monteCarlo.measure(states));
    }
}
