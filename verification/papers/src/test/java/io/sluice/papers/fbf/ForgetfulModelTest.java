/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.filter.Seeds;
import io.sluice.papers.fbf.ForgetfulBloomFilter.Rule;
import java.util.Arrays;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class ForgetfulModelTest {
    private static final Percentage ONE_PERCENT = Percentage.withPercentage(1);

    @Test
    void oneFilterIsTheTextbookFormula() {
        assertThat(ForgetfulModel.bloom(150, 6250, 5)).isCloseTo(1.85e-5, within(2e-6));
        assertThat(ForgetfulModel.bloom(0, 6250, 5)).isZero();
        assertThat(ForgetfulModel.bloom(1e9, 6250, 5)).isCloseTo(1, within(1e-9));
    }

    /** Closed forms and an independent simulation at 300 elements in two slices. */
    @Test
    void agreesWithTheKnownTransient() {
        double[] slices = {150, 150, 0};
        assertThat(ForgetfulModel.simple(slices, 6250, 5)).isCloseTo(4.42e-4, ONE_PERCENT);
        assertThat(1 - ForgetfulModel.neighbourPairs(slices, 6250, 5) / 4.42e-4)
                .isBetween(0.90, 0.93);
    }

    /** At 30 elements a second, t = 5 s: 3, 6, 12 and 24 filters. */
    @Test
    void moreFiltersRaiseTheProbabilityAtAConstantRate() {
        double previous = 0;
        for (int filters : new int[] {3, 6, 12, 24}) {
            double[] slices = new double[filters];
            Arrays.fill(slices, 150);
            slices[0] = 75;
            double p = ForgetfulModel.neighbourPairs(slices, 6250, 5);
            assertThat(p).isBetween(4e-4, 1.2e-3).isGreaterThan(previous);
            assertThat(ForgetfulModel.equationThree(slices, 6250, 5)).isLessThanOrEqualTo(p * 1.01);
            previous = p;
        }
    }

    @Test
    void aPairIsTheSharedSliceOrBothOthers() {
        double[] fill = new double[3];
        double[] slices = {70, 50, 90};
        for (int i = 0; i < 3; i++) {
            fill[i] = -Math.expm1(-3 * slices[i] / 1000);
        }
        assertThat(ForgetfulModel.pair(slices[0], slices[1], slices[2], 1000, 3))
                .isCloseTo(Math.pow(fill[1] + (1 - fill[1]) * fill[0] * fill[2], 3), within(1e-12));
    }

    @Test
    void measuredProbabilitiesAgree() {
        double[] slices = {900, 1000, 1100, 1200, 1300, 1400};
        MonteCarlo monteCarlo = new MonteCarlo(20_000, 7, 8, 100_000, Seeds.seed(0));
        MonteCarlo.Estimate pairs = monteCarlo.measure(Rule.CORRECTED, slices);
        assertThat(pairs.mean())
                .isCloseTo(
                        ForgetfulModel.neighbourPairs(slices, 20_000, 7),
                        within(5 * pairs.standardError() + 1e-5));
        double[] three = {900, 1000, 1100};
        MonteCarlo.Estimate simple = monteCarlo.measure(Rule.SIMPLE, three);
        assertThat(simple.mean())
                .isCloseTo(
                        ForgetfulModel.simple(three, 20_000, 7),
                        within(5 * simple.standardError() + 1e-5));
    }
}
