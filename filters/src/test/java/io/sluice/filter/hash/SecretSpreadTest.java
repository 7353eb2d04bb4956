/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.hash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SecretSpreadTest {
    private static final int SLOTS = 1 << 16;

    private final SplittableRandom random = Seeds.random();

    @Test
    void aHashHasOneSlotInATable() {
        SecretSpread spread = new SecretSpread();
        for (int slots = 1; slots <= SLOTS; slots *= 2) {
            long hash = random.nextLong();
            assertThat(spread.slot(hash, slots))
                    .isBetween(0, slots - 1)
                    .isEqualTo(spread.slot(hash, slots));
        }
    }

    /** Or a table that grows would take the entries of another in the order of its own slots. */
    @Test
    void eachTableHasASecretOfItsOwn() {
        SecretSpread one = new SecretSpread();
        SecretSpread other = new SecretSpread();
        long same =
                random.longs(1_000)
                        .filter(hash -> one.slot(hash, SLOTS) == other.slot(hash, SLOTS))
                        .count();
        assertThat(same).isLessThan(10);
    }

    @Test
    void hashesThatAMultiplicationWouldPutIntoOneSlotAreSpread() {
        SecretSpread spread = new SecretSpread();
        BitSet taken = new BitSet();
        for (int i = 0; i < SLOTS; i++) {
            taken.set(spread.slot(SharedSlots.hash(i, 0x9E3779B97F4A7C15L), SLOTS));
        }
        // 1 - 1 / e of them, for random hashes.
        assertThat(taken.cardinality()).isBetween(SLOTS * 60 / 100, SLOTS * 66 / 100);
    }
}
