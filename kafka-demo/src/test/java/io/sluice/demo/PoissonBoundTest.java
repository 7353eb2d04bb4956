/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class PoissonBoundTest {
    @Test
    void boundsAgreeWithTables() {
        // Quantiles at 0.999 of the Poisson distribution.
        assertThat(PoissonBound.upper(0, 0.001)).isZero();
        assertThat(PoissonBound.upper(1, 0.001)).isEqualTo(5);
        assertThat(PoissonBound.upper(10, 0.001)).isEqualTo(21);
        assertThat(PoissonBound.upper(100, 0.001)).isEqualTo(132);
    }

    @Test
    void largeMeansNeitherUnderflowNorHang() {
        assertThat((double) PoissonBound.upper(1e6, 0.001))
                .isCloseTo(1e6 + 3.09 * 1e3, within(60.0));
    }

    @Test
    void nonsenseIsRefused() {
        assertThatThrownBy(() -> PoissonBound.upper(-1, 0.001))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1");
        assertThatThrownBy(() -> PoissonBound.upper(1, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
