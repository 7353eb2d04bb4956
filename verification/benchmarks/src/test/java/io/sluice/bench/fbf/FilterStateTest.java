/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class FilterStateTest {
    @Test
    void filtersHoldTheSlicesOfTheirAge() {
        FilterState state = FilterState.of(150, 140, 130, 120);
        assertThat(state.past()).isEqualTo(2);
        assertThat(state.inFilter(0)).isEqualTo(150);
        assertThat(state.inFilter(1)).isEqualTo(290);
        assertThat(state.inFilter(2)).isEqualTo(270);
        assertThat(state.inFilter(3)).isEqualTo(250);
    }

    @Test
    void aFilterWithoutPastIsRefused() {
        assertThatThrownBy(() -> FilterState.of(1, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("3 slices");
    }

    @Test
    void arrivalsAddUpToTheIntegralOfTheRate() {
        ElementTimes ramp = ElementTimes.ramp(100, 60);
        assertThat(ramp.before(60)).isBetween(2990, 3000);
        assertThat(ramp.before(30)).isBetween(745, 750);
        assertThat(ramp.before(0)).isZero();
        assertThat(ElementTimes.constant(30, 150).before(150)).isBetween(4499, 4500);
        assertThat(ElementTimes.exponential(10, 5000).before(1000)).isEqualTo(5000);
    }

    @Test
    void aSteadyRateFillsSlicesEvenly() {
        FilterState state = FilterState.at(ElementTimes.constant(30, 150), 150, 2.5, 5, 4, 0);
        assertThat(state.count()).isEqualTo(6);
        assertThat(state.slice(0)).isBetween(74, 76);
        for (int i = 1; i < 6; i++) {
            assertThat(state.slice(i)).isBetween(149, 151);
        }
    }

    /** Values of an independent program for 300 elements, m = 6250, k = 5. */
    @Test
    void formulasGiveTabulatedValues() {
        FilterState two = FigureEightNine.state("twoPeriods", 300);
        assertThat(Formulas.simple(two, 6250)).isCloseTo(4.423e-4, within(1e-7));
        assertThat(Formulas.exact(two, 6250)).isCloseTo(3.698e-5, within(1e-8));
        assertThat(Formulas.equationThree(two, 6250)).isCloseTo(3.699e-5, within(1e-8));
        FilterState three = FigureEightNine.state("threePeriods", 300);
        assertThat(Formulas.simple(three, 6250)).isCloseTo(1.375e-4, within(1e-7));
        assertThat(Formulas.simpleIndependent(three, 6250)).isCloseTo(1.44e-4, within(1e-7));
        assertThat(Formulas.exact(three, 6250)).isCloseTo(7.335e-5, within(1e-8));
    }

    @Test
    void equationThreeIsFarTooLowForManyFiltersUnderARamp() {
        RatePoint point = RatePoint.at(ElementTimes.ramp(100, 60), 60, 22, 5, FbfRun.BITS);
        assertThat(point.equationThree()).isCloseTo(0.002454, within(3e-5));
        assertThat(point.exact()).isCloseTo(0.01562, within(1e-4));
    }
}
