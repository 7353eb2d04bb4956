/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.rateless;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SymbolIndexesTest {

    private static final int ELEMENTS = 40_000;

    @Test
    void anElementIsPartOfASymbolAsOftenAsPublished() {
        int[] parts = new int[300];
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < ELEMENTS; i++) {
            int index = 0;
            for (long state = random.nextLong();
                    index < parts.length;
                    state = SymbolIndexes.advance(state)) {
                parts[index]++;
                int next = SymbolIndexes.after(index, state);
                assertThat(next).isGreaterThan(index);
                index = next;
            }
        }
        assertThat(parts[0]).isEqualTo(ELEMENTS);
        for (int i = 1; i < parts.length; i++) {
            double probability = SymbolIndexes.probability(i);
            double expected = ELEMENTS * probability;
            double deviation = Math.sqrt(expected * (1 - probability));
            assertThat(Math.abs(parts[i] - expected)).as("symbol %d", i).isLessThan(5 * deviation);
        }
    }

    @Test
    void indexesThatAreTooFarAwayAreTheEnd() {
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < 10_000; i++) {
            assertThat(SymbolIndexes.after(SymbolEncoder.MAX_SYMBOLS, random.nextLong()))
                    .isGreaterThan(SymbolEncoder.MAX_SYMBOLS);
            assertThat(SymbolIndexes.after(SymbolIndexes.END - 1, random.nextLong()))
                    .isEqualTo(SymbolIndexes.END);
        }
    }
}
