/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The least long means "unset"; no sum becomes it, and none wraps around. */
class SaturatedTimeTest {

    private static final long UNSET = Long.MIN_VALUE;
    private static final long LEAST = Long.MIN_VALUE + 1;
    private static final long GREATEST = Long.MAX_VALUE;

    @Test
    void sumsStopAtTheEndsOfTime() {
        assertThat(SaturatedTime.plus(40, 2)).isEqualTo(42);
        assertThat(SaturatedTime.plus(40, -42)).isEqualTo(-2);
        assertThat(SaturatedTime.plus(GREATEST - 1, 1)).isEqualTo(GREATEST);
        assertThat(SaturatedTime.plus(GREATEST, 1)).isEqualTo(GREATEST);
        assertThat(SaturatedTime.plus(5, GREATEST)).isEqualTo(GREATEST);
        assertThat(SaturatedTime.plus(LEAST + 1, -1)).isEqualTo(LEAST);
        assertThat(SaturatedTime.plus(LEAST, -1)).isEqualTo(LEAST);
        assertThat(SaturatedTime.plus(LEAST, -2)).isEqualTo(LEAST);
        assertThat(SaturatedTime.plus(-1, GREATEST)).isEqualTo(GREATEST - 1);
        assertThat(SaturatedTime.plus(-1, -GREATEST)).isEqualTo(LEAST);
        assertThat(SaturatedTime.plus(-5, Long.MIN_VALUE)).isEqualTo(LEAST);
        assertThat(SaturatedTime.plus(-GREATEST, GREATEST)).isZero();
        assertThat(SaturatedTime.plus(3, 0)).isEqualTo(3);
    }

    @Test
    void anUnsetTimeStaysUnset() {
        assertThat(SaturatedTime.plus(UNSET, 1)).isEqualTo(UNSET);
        assertThat(SaturatedTime.plus(UNSET, GREATEST)).isEqualTo(UNSET);
        assertThat(SaturatedTime.plus(UNSET, -1)).isEqualTo(UNSET);
        assertThat(SaturatedTime.horizon(UNSET, 0)).isEqualTo(UNSET);
        assertThat(SaturatedTime.horizon(UNSET, 10)).isEqualTo(UNSET);
    }

    @Test
    void theHorizonIsAWindowBeforeTheClockOrUnset() {
        assertThat(SaturatedTime.horizon(100, 30)).isEqualTo(70);
        assertThat(SaturatedTime.horizon(-100, 30)).isEqualTo(-130);
        assertThat(SaturatedTime.horizon(-2, GREATEST)).as("just unset").isEqualTo(UNSET);
        assertThat(SaturatedTime.horizon(-1, GREATEST)).isEqualTo(UNSET);
        assertThat(SaturatedTime.horizon(0, GREATEST)).isEqualTo(LEAST);
        assertThat(SaturatedTime.horizon(UNSET + 10, 10)).isEqualTo(UNSET);
        assertThat(SaturatedTime.horizon(UNSET + 11, 10)).isEqualTo(LEAST);
    }
}
