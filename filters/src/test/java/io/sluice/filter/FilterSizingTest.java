/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class FilterSizingTest {

    /** Tabulated in every textbook. */
    @Test
    void agreesWithTabulatedValues() {
        assertThat(FilterSizing.fpp(8, 5)).isCloseTo(0.0217, within(1e-4));
        assertThat(FilterSizing.fpp(10, 7)).isCloseTo(0.00819, within(1e-5));
        assertThat(FilterSizing.fpp(16, 11)).isCloseTo(0.000459, within(1e-6));
        assertThat(FilterSizing.bitsPerKey(1e-3, 10)).isCloseTo(14.38, within(0.01));
        assertThat(FilterSizing.optimalProbes(1e-2)).isEqualTo(7);
        assertThat(FilterSizing.optimalProbes(1e-3)).isEqualTo(10);
        assertThat(FilterSizing.optimalProbes(0.4)).isEqualTo(1);
    }

    @Test
    void bitsAndProbabilityAreInverse() {
        for (int probes = 1; probes <= 30; probes++) {
            for (double fpp = 0.4; fpp > 1e-12; fpp /= 3) {
                double bits = FilterSizing.bitsPerKey(fpp, probes);
                assertThat(FilterSizing.fpp(bits, probes) / fpp).isCloseTo(1, within(1e-6));
            }
        }
    }

    @Test
    void fewerProbesCostNoMoreThanTheSlack() {
        for (double fpp = 0.4; fpp > 1e-12; fpp /= 3) {
            double least = FilterSizing.bitsPerKey(fpp, FilterSizing.optimalProbes(fpp));
            int fewest = FilterSizing.fewestProbes(fpp, 1.05);
            assertThat(FilterSizing.bitsPerKey(fpp, fewest)).isLessThanOrEqualTo(1.05 * least);
            assertThat(fewest).isLessThanOrEqualTo(FilterSizing.optimalProbes(fpp));
        }
    }

    @Test
    void refusesImpossibleValues() {
        assertThatThrownBy(() -> FilterSizing.bitsPerKey(1, 3)).hasMessageContaining("fpp");
        assertThatThrownBy(() -> FilterSizing.fpp(0, 3)).hasMessageContaining("bitsPerKey");
        assertThatThrownBy(() -> FilterSizing.fpp(8, 0)).hasMessageContaining("probes");
        assertThatThrownBy(() -> FilterSizing.fewestProbes(0.1, 0.9)).hasMessageContaining("slack");
    }
}
