/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class MeasuredErrorTest {

    /** Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I. */
    @Test
    void intervalsAgreeWithThoseTabulated() {
        interval(81, 263, 0.2553, 0.3662);
        interval(15, 148, 0.0624, 0.1605);
        interval(0, 20, 0.0000, 0.1611);
        interval(1, 29, 0.0061, 0.1718);
    }

    private static void interval(long dropped, long firsts, double lower, double upper) {
        MeasuredError error = new MeasuredError(firsts, dropped);
        assertThat(error.lower(MeasuredError.Z_95)).isCloseTo(lower, within(5e-5));
        assertThat(error.upper(MeasuredError.Z_95)).isCloseTo(upper, within(5e-5));
    }

    @Test
    void nothingMeasuredSaysNothing() {
        assertThat(MeasuredError.NONE.rate()).isNaN();
        assertThat(MeasuredError.NONE.lower(MeasuredError.Z_95)).isZero();
        assertThat(MeasuredError.NONE.upper(MeasuredError.Z_95)).isOne();
    }

    @Test
    void addsUp() {
        assertThat(new MeasuredError(10, 1).plus(new MeasuredError(5, 2)))
                .isEqualTo(new MeasuredError(15, 3));
    }

    @Test
    void refusesMoreDroppedThanCame() {
        assertThatThrownBy(() -> new MeasuredError(1, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("2 of 1");
    }
}
