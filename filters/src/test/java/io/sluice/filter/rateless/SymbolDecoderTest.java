/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.rateless;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import io.sluice.filter.rateless.SymbolDecoder.Outcome;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SymbolDecoderTest {

    private static final int LIMIT = 1 << 16;

    private static ExchangeKey key(SplittableRandom random) {
        return new ExchangeKey(random.nextLong(), random.nextLong());
    }

    /** B's decoder after the symbols of A that it needs, taken in batches of {@code batch}. */
    private static SymbolDecoder decoded(Sides sides, ExchangeKey key, int batch) {
        SymbolEncoder encoder = new SymbolEncoder(Sides.root(sides.a), key);
        SymbolDecoder decoder = new SymbolDecoder(Sides.root(sides.b), key, LIMIT);
        while (decoder.accept(encoder.next(batch)) == Outcome.MORE) {
            assertThat(decoder.received()).isEqualTo(encoder.produced());
        }
        return decoder;
    }

    @Test
    void theDifferenceOfAnyTwoMultisetsIsFoundExactly() {
        exact(2);
    }

    @Test
    @Tag("long")
    void theDifferenceOfManyPairsIsFoundExactly() {
        exact(60);
    }

    private static void exact(int tries) {
        for (int all : new int[] {1, 2, 20, 300, 3_000}) {
            for (int differing : new int[] {0, 1, 2, 7, all / 100, all / 2, all}) {
                for (long mostCopies : new long[] {1, 10, 1_000, 1L << 40, Long.MAX_VALUE - 1}) {
                    for (int i = 0; i < tries; i++) {
                        SplittableRandom random = new SplittableRandom(Seeds.seed(i));
                        int differ = Math.min(differing, all);
                        Sides sides = Sides.random(random, all, differ, mostCopies);
                        SymbolDecoder decoder = decoded(sides, key(random), 1 + random.nextInt(40));
                        assertThat(decoder.outcome()).isEqualTo(Outcome.DECODED);
                        assertThat(decoder.difference())
                                .as("%d of %d, %d copies", differ, all, mostCopies)
                                .isEqualTo(sides.difference());
                        assertThat(decoder.difference()).hasSize(differ);
                    }
                }
            }
        }
    }

    @Test
    void disjointMultisetsDifferInAllElements() {
        SplittableRandom random = Seeds.random();
        Sides sides = new Sides();
        for (int i = 0; i < 1_000; i++) {
            sides.a.put(random.nextLong(), random.nextLong(1, 1_001));
            sides.b.put(random.nextLong(), random.nextLong(1, 1_001));
        }
        for (int i = 0; i < 2; i++) {
            SymbolDecoder decoder = decoded(sides, key(random), 100);
            assertThat(decoder.difference()).hasSize(2_000).isEqualTo(sides.difference());
        }
    }

    @Test
    void oneSideMayBeEmptyAndBothMayBe() {
        Sides sides = new Sides();
        assertThat(decoded(sides, new ExchangeKey(1, 2), 1).difference()).isEmpty();
        sides.a.put(-1L, 3L);
        assertThat(decoded(sides, new ExchangeKey(1, 2), 1).difference())
                .containsExactly(new UnequalElement(-1, 0, 3));
        sides.a.clear();
        sides.b.put(0L, 1_000L);
        assertThat(decoded(sides, new ExchangeKey(1, 2), 1).difference())
                .containsExactly(new UnequalElement(0, 1_000, 0));
    }

    /** All multiplicities of the range that jobs have, on either side. */
    @Test
    void everyMultiplicityIsToldFromEveryOther() {
        Sides sides = new Sides();
        for (long copies = 1; copies <= 1_000; copies++) {
            sides.a.put(copies, copies);
            sides.b.put(copies, 1_001 - copies);
            sides.a.put(-copies, copies);
        }
        assertThat(decoded(sides, new ExchangeKey(3, 4), 64).difference())
                .isEqualTo(sides.difference())
                .hasSize(2_000);
    }

    @Test
    void needsOneSymbolForOneDifferenceOrNone() {
        for (int differing : new int[] {0, 1}) {
            Sides sides = Sides.random(Seeds.random(), 5_000, differing, 100);
            assertThat(decoded(sides, new ExchangeKey(3, 4), 1).received()).isOne();
        }
    }

    /**
     * Figure 4 of the paper: the mean number of symbols for a difference rises to 1.72 for a few
     * elements, and falls to 1.35 for many.
     */
    @Tag("thorough")
    @Test
    void symbolsForADifferenceAreAsManyAsPublished() {
        assertThat(symbolsPerDifference(4, 2_000)).isBetween(1.6, 1.78);
        assertThat(symbolsPerDifference(10, 1_000)).isBetween(1.5, 1.78);
        assertThat(symbolsPerDifference(100, 200)).isBetween(1.38, 1.55);
        assertThat(symbolsPerDifference(1_000, 40)).isBetween(1.33, 1.42);
        assertThat(symbolsPerDifference(20_000, 2)).isBetween(1.33, 1.38);
    }

    private static double symbolsPerDifference(int differing, int tries) {
        long symbols = 0;
        for (int i = 0; i < tries; i++) {
            SplittableRandom random = new SplittableRandom(Seeds.seed(i));
            Sides sides = Sides.random(random, differing, differing, 100);
            symbols += decoded(sides, key(random), 1).received();
        }
        return symbols / ((double) tries * differing);
    }

    @Test
    void nothingIsToldBeforeItIsKnown() {
        Sides sides = Sides.random(Seeds.random(), 100, 50, 10);
        ExchangeKey key = new ExchangeKey(1, 1);
        SymbolDecoder decoder = new SymbolDecoder(Sides.root(sides.b), key, LIMIT);
        assertThat(decoder.accept(new SymbolEncoder(Sides.root(sides.a), key).next(20)))
                .isEqualTo(Outcome.MORE)
                .isEqualTo(decoder.outcome());
        assertThatThrownBy(decoder::difference)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("MORE");
        for (int wrong : new int[] {0, SymbolEncoder.MAX_SYMBOLS + 1}) {
            assertThatThrownBy(() -> new SymbolDecoder(Sides.root(Map.of()), key, wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("maxSymbols must be from 1");
        }
    }
}
