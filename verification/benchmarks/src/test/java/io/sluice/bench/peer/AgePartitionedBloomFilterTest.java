/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AgePartitionedBloomFilterTest {
    private static final int WINDOW = 5000;

    @Test
    void theLastWindowIsHeldAndTheErrorIsAsAskedFor() {
        AgePartitionedBloomFilter filter = AgePartitionedBloomFilter.create(1e-2, WINDOW, 60);
        int probes = 200_000;
        for (int i = 0; i < 4 * WINDOW; i++) {
            filter.add(Keys.key(i));
            if (i >= WINDOW && i % 1000 == 0) {
                for (int j = i - WINDOW + 1; j <= i; j++) {
                    assertThat(filter.mightContain(Keys.key(j))).as("id %d at %d", j, i).isTrue();
                }
            }
        }
        int hits = 0;
        for (int i = 0; i < probes; i++) {
            hits += filter.mightContain(Keys.key(1_000_000_000L + i)) ? 1 : 0;
        }
        assertThat((double) hits / probes).isBetween(1e-4, 1.2e-2);
        int forgotten = 0;
        for (int i = 0; i < WINDOW; i++) {
            forgotten += filter.mightContain(Keys.key(i)) ? 0 : 1;
        }
        assertThat(forgotten).isGreaterThan(WINDOW * 9 / 10);
    }

    @Test
    void theProbabilityOfOneSliceIsItsFill() {
        assertThat(new AgePartitionedBloomFilter.Shape(1, 1).falsePositiveProbability())
                .isEqualTo(0.75);
        assertThat(new AgePartitionedBloomFilter.Shape(2, 1).falsePositiveProbability())
                .isBetween(0.25, 0.5);
    }
}
