/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RareEventsTest {
    @Test
    void nothingIsCredibleOfWhatCannotHappen() {
        assertThat(RareEvents.of(0)).isZero();
    }

    @Test
    void oneEventOfAMeanOfOneInAMillionIsCredible() {
        assertThat(RareEvents.of(1e-6)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.01, 0.5, 1, 3, 10, 100})
    void isTheLeastNumberThatIsExceededOnceInABillionRuns(double mean) {
        long bound = RareEvents.of(mean);
        assertThat(above(mean, bound)).isLessThanOrEqualTo(1e-9);
        assertThat(above(mean, bound - 1)).isGreaterThan(1e-9);
    }

    @Test
    void aLargeMeanHasABoundSixDeviationsAbove() {
        assertThat(RareEvents.of(10_000)).isBetween(10_550L, 10_700L);
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
