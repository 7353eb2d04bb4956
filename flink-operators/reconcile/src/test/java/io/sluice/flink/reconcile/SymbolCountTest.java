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

    private static int first(ReconcileSettings settings, long own, long peer) {
        return SymbolCount.first(settings, own, peer, settings.filterBytes(Math.max(own, peer)));
    }

    private static int next(ReconcileSettings settings, int tried, double differing) {
        return SymbolCount.next(settings, tried, differing, 0.1, settings.filterBytes(1_000));
    }

    @Test
    void filtersAloneHaveNoSymbols() {
        for (DifferenceMethod method :
                new DifferenceMethod[] {DifferenceMethod.QUERY, DifferenceMethod.DECODE}) {
            assertThat(first(settings(method), 1_000, 1_000)).isZero();
            assertThat(next(settings(method), 24, 20)).isZero();
        }
    }

    @Test
    void theFirstSymbolsAreAsManyAsTheDigestsTellUnlessTheyTellMuch() {
        ReconcileSettings rateless = settings(DifferenceMethod.RATELESS);
        assertThat(first(rateless, 500, 500)).isEqualTo(SymbolCount.LEAST);
        assertThat(first(rateless, 500, 600)).isBetween(135, 170);
        assertThat(first(rateless, 600, 500)).isEqualTo(first(rateless, 500, 600));
        assertThat(first(rateless, 500, 800)).isEqualTo(SymbolCount.LEAST);
        assertThat(first(rateless, 0, 0)).isEqualTo(SymbolCount.LEAST);
    }

    @Test
    void theNextSymbolsFollowTheEstimateAndItsError() {
        ReconcileSettings rateless = settings(DifferenceMethod.RATELESS);
        assertThat(next(rateless, 24, 1_000)).isBetween(1_500, 1_700);
        int exact = SymbolCount.next(rateless, 24, 1_000, 0, 0);
        assertThat(exact).isBetween(1_400, 1_500);
        assertThat(SymbolCount.next(rateless, 24, 1_000, 0.2, 0)).isBetween(1_800, 2_000);
    }

    /** Whoever says that only a few more are needed cannot make it last. */
    @Test
    void theNextSymbolsAreAtLeastHalfAsManyAgain() {
        ReconcileSettings rateless = settings(DifferenceMethod.RATELESS);
        assertThat(next(rateless, 24, 0)).isEqualTo(37);
        int sum = 0;
        int last = 0;
        for (int count = 24; count > 0; count = next(rateless, count, 0)) {
            sum += count;
            last = count;
        }
        assertThat(20L * last).isBetween(550_000L, 900_000L);
        assertThat(sum).isLessThan(3 * last);
    }

    @Test
    void moreSymbolsThanAMessageHoldsAreNotSent() {
        ReconcileSettings small = settings(DifferenceMethod.RATELESS, 4_096);
        assertThat(first(small, 500, 580)).isBetween(110, 170);
        assertThat(first(small, 500, 700)).isZero();
        assertThat(next(small, 80, 0)).isEqualTo(121);
        assertThat(next(small, 80, 150)).isZero();
        assertThat(next(small, 160, 0)).isZero();
        assertThat(first(small, Long.MAX_VALUE, 0)).isZero();
        assertThat(next(small, Integer.MAX_VALUE, 0)).isZero();
        assertThat(next(small, 24, 0x1p66)).isZero();
    }

    /** A filter of 1,000 elements takes about 3,300 bytes, a symbol 14. */
    @Test
    void theAutomaticChoiceComparesBytes() {
        ReconcileSettings auto = settings(DifferenceMethod.AUTO);
        assertThat(auto.filterBytes(1_000)).isBetween(3_200.0, 3_400.0);
        assertThat(first(auto, 1_000, 1_000)).isEqualTo(SymbolCount.LEAST);
        assertThat(first(auto, 1_000, 950)).isBetween(68, 100);
        assertThat(first(auto, 1_000, 800)).as("more than a filter").isZero();
        assertThat(first(auto, 150, 150)).as("a small filter").isZero();
        assertThat(SymbolCount.first(auto, 1_000, 800, 10_000))
                .as("a filter with much behind it")
                .isEqualTo(SymbolCount.LEAST);
        assertThat(next(auto, 24, 100)).isBetween(140, 190);
        assertThat(next(auto, 24, 200)).as("more than a filter").isZero();
        assertThat(SymbolCount.next(auto, 24, 200, 0.1, 10_000))
                .as("a filter with much behind it")
                .isBetween(300, 360);
    }
}
