/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    @ParameterizedTest
    @ValueSource(doubles = {1e-6, 0.01, 0.5, 1, 3, 10, 100})
    void isTheLeastNumberThatIsExceededAsSeldom(double mean) {
        long bound = PoissonBound.upper(mean, 1e-9);
        assertThat(above(mean, bound)).isLessThanOrEqualTo(1e-9);
        assertThat(above(mean, bound - 1)).isGreaterThan(1e-9);
    }

    /** The sum of what is above, smallest terms first. */
    private static double above(double mean, long n) {
        double sum = 0;
        for (long k = n + 400; k > n; k--) {
            double log = -mean + k * Math.log(mean);
            for (long i = 2; i <= k; i++) {
                log -= Math.log((double) i);
            }
            sum += Math.exp(log);
        }
        return sum;
    }
}
