/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class ErrorRatesTest {
    /** Tables of exact Poisson limits: at 95 % one-sided, 3 events give 0.818 to 7.754. */
    @Test
    void boundsAreThoseOfTables() {
        assertThat(ErrorRates.poissonUpper(0, 0.95)).isEqualTo(-Math.log(0.05), within(1e-6));
        assertThat(ErrorRates.poissonUpper(3, 0.95)).isEqualTo(7.754, within(1e-3));
        assertThat(ErrorRates.poissonLower(3, 0.95)).isEqualTo(0.818, within(1e-3));
        assertThat(ErrorRates.poissonLower(0, 0.95)).isZero();
    }

    @Test
    void manyEventsAreAlmostNormal() {
        // 3.09 standard deviations at 99.9 %, and the skewness of a Poisson variable.
        assertThat(ErrorRates.poissonUpper(10_000, 0.999)).isEqualTo(10_312, within(5.0));
        assertThat(ErrorRates.poissonLower(10_000, 0.999)).isEqualTo(9_694, within(5.0));
    }
}
