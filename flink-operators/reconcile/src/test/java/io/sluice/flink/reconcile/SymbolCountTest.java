/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.reconcile.message.Setup;
import org.junit.jupiter.api.Test;

class SymbolCountTest {

    private static ReconcileSettings settings(DifferenceMethod method, int maxMessageBytes) {
        return new ReconcileSettings(
                new Setup(60_000, 128, 2, 7),
                "east",
                "west",
                method,
                1e-4,
                8,
                3_600_000,
                0,
                30_000,
                maxMessageBytes,
                1_000_000,
                1000,
                10_000,
                3_600_000,
                false);
    }

    private static ReconcileSettings settings(DifferenceMethod method) {
        return settings(method, 900_000);
    }

    @Test
    void filtersAloneHaveNoSymbols() {
        for (DifferenceMethod method :
                new DifferenceMethod[] {DifferenceMethod.QUERY, DifferenceMethod.DECODE}) {
            assertThat(SymbolCount.first(settings(method), 1_000, 1_000)).isZero();
            assertThat(SymbolCount.next(settings(method), 24, 1_000, 1_000)).isZero();
        }
    }

    @Test
    void symbolsAreAsManyAsTheDigestsTellAndThenTwiceAsMany() {
        ReconcileSettings rateless = settings(DifferenceMethod.RATELESS);
        assertThat(SymbolCount.first(rateless, 500, 500)).isEqualTo(SymbolCount.LEAST);
        assertThat(SymbolCount.first(rateless, 500, 700)).isEqualTo(400);
        assertThat(SymbolCount.first(rateless, 700, 500)).isEqualTo(400);
        assertThat(SymbolCount.first(rateless, 0, 0)).isEqualTo(SymbolCount.LEAST);
        assertThat(SymbolCount.next(rateless, 400, 700, 500)).isEqualTo(800);
    }

    @Test
    void moreSymbolsThanAMessageHoldsAreNotSent() {
        ReconcileSettings small = settings(DifferenceMethod.RATELESS, 4_096);
        assertThat(SymbolCount.first(small, 500, 580)).isEqualTo(160);
        assertThat(SymbolCount.first(small, 500, 600)).isZero();
        assertThat(SymbolCount.next(small, 80, 500, 500)).isEqualTo(160);
        assertThat(SymbolCount.next(small, 160, 500, 500)).isZero();
        assertThat(SymbolCount.first(small, Long.MAX_VALUE, 0)).isZero();
        assertThat(SymbolCount.next(small, Integer.MAX_VALUE, 500, 500)).isZero();
    }

    /** A filter of 1,000 elements takes about 3,300 bytes, a symbol 14. */
    @Test
    void theAutomaticChoiceComparesBytes() {
        ReconcileSettings auto = settings(DifferenceMethod.AUTO);
        assertThat(auto.filterBytes(1_000)).isBetween(3_200.0, 3_400.0);
        assertThat(SymbolCount.first(auto, 1_000, 1_000)).isEqualTo(SymbolCount.LEAST);
        assertThat(SymbolCount.first(auto, 1_000, 890)).isEqualTo(220);
        assertThat(SymbolCount.first(auto, 1_000, 800)).isZero();
        assertThat(SymbolCount.next(auto, 24, 1_000, 1_000)).isEqualTo(48);
        assertThat(SymbolCount.next(auto, 48, 1_000, 1_000)).isZero();
        assertThat(SymbolCount.first(auto, 50, 50)).as("a small filter").isZero();
    }
}
