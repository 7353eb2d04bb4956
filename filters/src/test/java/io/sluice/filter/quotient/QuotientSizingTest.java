/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class QuotientSizingTest {

    /** 1 - e^(-load / 2^r), from tables. */
    @Test
    void agreesWithTabulatedValues() {
        assertThat(QuotientSizing.fpp(196_608, 26)).isCloseTo(0.002925, within(5e-7));
        assertThat(QuotientSizing.fpp(249_036, 26)).isCloseTo(0.003704, within(5e-7));
        assertThat(QuotientSizing.fpp(131_072, 22)).isCloseTo(0.03077, within(5e-6));
        assertThat(QuotientSizing.fpp(249_036, 34)).isCloseTo(1.45e-5, within(5e-8));
    }

    @Test
    void widthsAreTheLeastThatSuffice() {
        for (long count = 1; count < 1L << 34; count = count * 5 / 3 + 1) {
            for (double fpp = 0.3; fpp > 1e-8; fpp /= 7) {
                int bits = QuotientSizing.fingerprintBits(count, fpp);
                assertThat(QuotientSizing.fpp(count, bits)).isLessThanOrEqualTo(fpp * (1 + 1e-9));
                if (bits > 2) {
                    assertThat(QuotientSizing.fpp(count, bits - 1)).isGreaterThan(fpp);
                }
            }
            int quotient = QuotientSizing.quotientBits(count, 0.95);
            assertThat(QuotientSizing.capacity(quotient, 0.95)).isGreaterThanOrEqualTo(count);
            if (quotient > 1) {
                assertThat(QuotientSizing.capacity(quotient - 1, 0.95)).isLessThan(count);
            }
        }
    }

    @Test
    void bitsPerKeyCountAllMetadata() {
        assertThat(QuotientSizing.bitsPerSlot(8)).isCloseTo(8 + 8.0 / 3, within(1e-9));
        assertThat(QuotientSizing.bitsPerSlot(16)).isCloseTo(16 + 8.0 / 3, within(1e-9));
        for (int r = 1; r < 40; r++) {
            assertThat(QuotientSizing.bitsPerSlot(r) - r).isBetween(2.6666, 3.6667);
        }
        long keys = QuotientSizing.capacity(26, 0.95);
        assertThat(QuotientSizing.bitsPerKey(26, 8, keys)).isCloseTo(11.228, within(0.001));
    }

    @Test
    void saysHowLargeAFilterWillBe() {
        for (int q = 1; q < 16; q++) {
            for (int r = 1; r < 20; r++) {
                QuotientFilter filter = QuotientFilter.builder().bits(q, r).build();
                assertThat(filter.blocks().words.length() * Long.BYTES)
                        .isEqualTo(QuotientSizing.sizeInBytes(q, r));
            }
        }
    }

    @Test
    void refusesImpossibleValues() {
        assertThatThrownBy(() -> QuotientSizing.capacity(0, 0.9))
                .hasMessageContaining("quotientBits");
        assertThatThrownBy(() -> QuotientSizing.capacity(10, 0)).hasMessageContaining("maxLoad");
        assertThatThrownBy(() -> QuotientSizing.quotientBits(1L << 40, 0.9))
                .hasMessageContaining("capacity");
        assertThatThrownBy(() -> QuotientSizing.fingerprintBits(0, 0.1))
                .hasMessageContaining("count");
        assertThatThrownBy(() -> QuotientSizing.fingerprintBits(1, 0))
                .hasMessageContaining("fpp must");
        assertThatThrownBy(() -> QuotientSizing.fingerprintBits(1, 1))
                .hasMessageContaining("fpp must");
        assertThatThrownBy(() -> QuotientSizing.fingerprintBits(1, Double.NaN))
                .hasMessageContaining("fpp");
        assertThatThrownBy(() -> QuotientSizing.fingerprintBits(1L << 40, 1e-9))
                .hasMessageContaining("more than 63");
    }
}
