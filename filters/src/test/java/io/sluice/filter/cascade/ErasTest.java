/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import io.sluice.filter.cascade.file.Entries;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErasTest {

    @Test
    void allErasTogetherKeepTheProbability() {
        SplittableRandom random = Seeds.random();
        for (int round = 0; round < 200; round++) {
            double fpp = Math.pow(10, -1 - 4 * random.nextDouble());
            long capacity = 1 + random.nextLong(100_000_000);
            int keyGroups = 1 + random.nextInt(Entries.MAX_KEY_GROUPS);
            Eras eras = new Eras(fpp, (double) capacity / keyGroups);
            double before = 0;
            for (int era = 0; era < eras.count(); era++) {
                assertThat(eras.hashBits(era)).isBetween(1, Entries.MAX_HASH_BITS);
                assertThat(eras.eraOf(eras.hashBits(era))).isEqualTo(era);
                assertThat(eras.allowance(era)).isGreaterThan(before);
                double own =
                        (double) eras.capacity(era, keyGroups)
                                / keyGroups
                                / Math.scalb(1.0, eras.hashBits(era));
                // Except for the rounding of one subtraction.
                assertThat(own).isLessThanOrEqualTo((eras.allowance(era) - before) * (1 + 1e-9));
                before = eras.allowance(era);
            }
            assertThat(before).isEqualTo(fpp);
            assertThat(eras.hashBits(eras.count() - 1)).isEqualTo(Entries.MAX_HASH_BITS);
            assertThat(eras.capacity(0, keyGroups)).isGreaterThanOrEqualTo(capacity);
            assertThat(eras.eraOf(eras.hashBits(0) - 1)).isEqualTo(-1);
        }
    }

    @Test
    void theFirstEraTakesAboutTheBitsOfTheProbability() {
        Eras eras = new Eras(1e-4, (1L << 30) / 128.0);
        // 30 - 7 bits for the number in a key group, 13.3 for the probability, 0.4 for later eras.
        assertThat(eras.hashBits(0)).isEqualTo(37);
        // 2.8 for seven times as many, 2.6 for an eighth of the probability instead of 3/4.
        assertThat(eras.hashBits(1)).isEqualTo(43);
        // 3 for eight times as many, 1.6 for 1/24.
        assertThat(eras.hashBits(2)).isEqualTo(47);
    }

    @Test
    void lessIsLeftForLaterErasWhereThatSavesABit() {
        // 16 + 10 bits, and 0.4, 0.2 or 0.1 for later eras: what was rounded up to a bit is not
        // spent.
        double fpp = Math.scalb(1.0, -10);
        Eras justEnough = new Eras(fpp, (1 << 16) * 15 / 16);
        assertThat(justEnough.hashBits(0)).isEqualTo(26);
        assertThat(justEnough.allowance(0)).isEqualTo(fpp * 15 / 16);
        assertThat(justEnough.capacity(0, 1)).isEqualTo((1 << 16) * 15 / 16);
        Eras half = new Eras(fpp, (1 << 16) * 7 / 8);
        assertThat(half.hashBits(0)).isEqualTo(26);
        assertThat(half.allowance(0)).isEqualTo(fpp * 7 / 8);
        Eras ample = new Eras(fpp, 1 << 15);
        assertThat(ample.hashBits(0)).isEqualTo(26);
        assertThat(ample.allowance(0)).isEqualTo(fpp * 3 / 4);
        Eras tooMany = new Eras(fpp, (1 << 16) * 15 / 16 + 1);
        assertThat(tooMany.hashBits(0)).isEqualTo(27);
    }

    /** As sets are dealt out to subtasks: key groups are divided as finely as they can be. */
    @ParameterizedTest
    @CsvSource({
        "1e-6, 100000, 1",
        "1e-6, 10000000, 1",
        "1e-6, 10000000, 128",
        "1e-6, 10000000, 720",
        "1e-6, 10000000, 32768",
        "1e-6, 50000000, 128",
        "1e-6, 500000000, 128",
        "1e-4, 1000000000, 128",
        "1e-8, 5000000, 128",
    })
    void aHundredTimesTheExpectedEntriesFindTheirBits(double fpp, long capacity, int keyGroups) {
        int parts = keyGroups * KeyGroupParts.finest(keyGroups).count();
        Eras eras = new Eras(fpp, (double) capacity / parts);
        double most = 0;
        for (int era = 0; era < eras.count(); era++) {
            most += eras.capacity(era, parts);
        }
        assertThat(most / capacity).isGreaterThanOrEqualTo(100);
    }

    @Test
    void whatNeedsMoreBitsThanThereAreIsRefused() {
        assertThatThrownBy(() -> new Eras(1e-9, 1L << 40))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("needs 70 bits of a hash, at most 47 are kept");
    }
}
