/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.hash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class HashSpreadTest {
    private static final int SLOTS = 1 << 16;

    private final SplittableRandom random = Seeds.random();

    @Test
    void aHashHasOneSlotInATable() {
        HashSpread spread = HashSpread.secret();
        for (int slots = 1; slots <= SLOTS; slots *= 2) {
            long hash = random.nextLong();
            assertThat(spread.slot(hash, slots))
                    .isBetween(0, slots - 1)
                    .isEqualTo(spread.slot(hash, slots));
        }
    }

    /** Or a table that grows would take the entries of another in the order of its own slots. */
    @Test
    void eachSecretIsAnother() {
        HashSpread one = HashSpread.secret();
        HashSpread other = HashSpread.secret();
        long same =
                random.longs(1_000)
                        .filter(hash -> one.slot(hash, SLOTS) == other.slot(hash, SLOTS))
                        .count();
        assertThat(same).isLessThan(10);
    }

    /** Or two runs on equal records would do things in different orders. */
    @Test
    void whatIsKnownIsTheSameInEachProcess() {
        assertThat(HashSpread.known().isSecret()).isFalse();
        assertThat(HashSpread.secret().isSecret()).isTrue();
        for (int slot = 0; slot < 1_000; slot++) {
            assertThat(HashSpread.known().slot(Unmixed.hash(slot), 1_024)).isEqualTo(slot);
        }
    }

    @Test
    void hashesThatAMultiplicationWouldPutIntoOneSlotAreSpread() {
        HashSpread spread = HashSpread.secret();
        BitSet taken = new BitSet();
        for (int i = 0; i < SLOTS; i++) {
            taken.set(spread.slot(SharedSlots.hash(i, 0x9E3779B97F4A7C15L), SLOTS));
        }
        // 1 - 1 / e of them, for random hashes.
        assertThat(taken.cardinality()).isBetween(SLOTS * 60 / 100, SLOTS * 66 / 100);
    }
}
