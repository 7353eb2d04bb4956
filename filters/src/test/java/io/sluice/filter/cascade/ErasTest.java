/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.Seeds;
import io.sluice.filter.cascade.file.Entries;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ErasTest {

    @Test
    void allErasTogetherKeepTheProbability() {
        SplittableRandom random = Seeds.random();
        for (int round = 0; round < 200; round++) {
            double fpp = Math.pow(10, -1 - 4 * random.nextDouble());
            long capacity = 1 + random.nextLong(100_000_000);
            int keyGroups = 1 + random.nextInt(Entries.MAX_KEY_GROUPS);
            Eras eras = new Eras(fpp, capacity, keyGroups);
            double sum = 0;
            int era = 0;
            while (true) {
                assertThat(eras.hashBits(era)).isBetween(1, Entries.MAX_HASH_BITS);
                assertThat(eras.eraOf(eras.hashBits(era))).isEqualTo(era);
                sum +=
                        (double) eras.capacity(era)
                                / keyGroups
                                / Math.scalb(1.0, eras.hashBits(era));
                if (!eras.hasAfter(era)) {
                    break;
                }
                era = eras.after(era);
            }
            assertThat(sum).as("fpp %s, capacity %s", fpp, capacity).isLessThanOrEqualTo(fpp);
            assertThat(eras.capacity(0)).isGreaterThanOrEqualTo(capacity);
            assertThat(eras.eraOf(eras.hashBits(0) + 1)).isEqualTo(-1);
            assertThat(eras.eraOf(eras.hashBits(0) - 1)).isEqualTo(-1);
        }
    }

    @Test
    void theFirstEraTakesAboutTheBitsOfTheProbability() {
        Eras eras = new Eras(1e-4, 1L << 30, 128);
        // 30 - 7 bits for the number in a key group, 13.3 for the probability, 0.4 for later eras.
        assertThat(eras.hashBits(0)).isEqualTo(37);
        assertThat(eras.hashBits(1)).isEqualTo(41);
    }

    @Test
    void lessIsLeftForLaterErasWhereThatSavesABit() {
        // 16 + 10 bits, and 0.4, 0.2 or 0.1 for later eras: what rounds up to a bit is not spent.
        Eras justEnough = new Eras(Math.scalb(1.0, -10), (1 << 16) * 15 / 16, 1);
        assertThat(justEnough.hashBits(0)).isEqualTo(26);
        assertThat(justEnough.hashBits(1)).isEqualTo(26 + 6);
        assertThat(justEnough.capacity(0)).isEqualTo((1 << 16) * 15 / 16);
        assertThat(justEnough.capacity(1)).isEqualTo(4 * justEnough.capacity(0));
        Eras half = new Eras(Math.scalb(1.0, -10), (1 << 16) * 7 / 8, 1);
        assertThat(half.hashBits(0)).isEqualTo(26);
        assertThat(half.hashBits(1)).isEqualTo(26 + 5);
        Eras ample = new Eras(Math.scalb(1.0, -10), 1 << 15, 1);
        assertThat(ample.hashBits(0)).isEqualTo(26);
        assertThat(ample.hashBits(1)).isEqualTo(26 + 4);
        Eras tooMany = new Eras(Math.scalb(1.0, -10), (1 << 16) * 15 / 16 + 1, 1);
        assertThat(tooMany.hashBits(0)).isEqualTo(27);
    }

    @Test
    void whatNeedsMoreBitsThanThereAreIsRefused() {
        assertThatThrownBy(() -> new Eras(1e-9, 1L << 40, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("needs 70 bits of a hash, at most 47 are kept");
        Eras eras = new Eras(1e-6, 1 << 23, 1);
        assertThatThrownBy(() -> eras.after(0))
                .isInstanceOf(FilterFullException.class)
                .hasMessageContaining("outgrown its capacity of 8388608 entries");
    }
}
