/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.filter.cascade.file.Entries;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What one line of memory says about a whole filter. */
class OverviewTest {

    private static final KeyGroups KEY_GROUPS = KeyGroups.of(20, 7);

    private static final int KEYS = 200_000;

    private final SplittableRandom random = Seeds.random();

    private static Overview overview(double[] weights, int bitsPerKey, int hashBits) {
        return new Overview(
                OverviewMemory.HEAP::allocate,
                KEY_GROUPS,
                KeyGroupParts.WHOLE,
                weights,
                KEYS,
                bitsPerKey,
                hashBits);
    }

    private long entry(int keyGroup) {
        return Entries.of(keyGroup, random.nextLong());
    }

    private int anyKeyGroup() {
        return random.nextInt(KEY_GROUPS.first(), KEY_GROUPS.end());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8, 20})
    void deniesNothingThatWasAdded(int bitsPerKey) {
        Overview overview = overview(new double[7], bitsPerKey, Entries.MAX_HASH_BITS);
        long[] entries = new long[KEYS];
        for (int i = 0; i < KEYS; i++) {
            entries[i] = entry(anyKeyGroup());
            overview.add(entries[i]);
        }
        for (long entry : entries) {
            assertThat(overview.mightContain(entry)).isTrue();
            assertThat(overview.mightContain(entry | Entries.TOMBSTONE)).isTrue();
            assertThat(overview.add(entry)).isFalse();
        }
    }

    @Test
    void knowsWhatFilesKeepOfAHash() {
        int hashBits = 21;
        Overview overview = overview(new double[7], 8, hashBits);
        for (int i = 0; i < KEYS; i++) {
            long entry = entry(anyKeyGroup());
            // The owner has all bits; a file that the next overview is built from does not.
            if (random.nextBoolean()) {
                overview.add(entry & Entries.mask(hashBits));
                assertThat(overview.mightContain(entry)).isTrue();
            } else {
                overview.add(entry);
                assertThat(overview.mightContain(entry & Entries.mask(hashBits))).isTrue();
            }
        }
    }

    @Test
    void errsForAFewPercentWhenItIsFull() {
        Overview overview = overview(new double[7], 8, Entries.MAX_HASH_BITS);
        for (int i = 0; i < KEYS; i++) {
            assertThat(overview.room()).isPositive();
            while (!overview.add(entry(anyKeyGroup()))) {
                // Mistaken for another one: it does not count.
            }
        }
        assertThat(overview.room()).isNotPositive();
        assertThat(overview.sizeInBytes()).isBetween(KEYS * 97L / 100, KEYS * 101L / 100);
        assertThat(errors(overview)).isBetween(0.015, 0.035);
    }

    @Test
    void givesLinesToKeyGroupsByWhatTheyHold() {
        double[] weights = {0, 0, 1, 0, 0, 15, 0};
        Overview uneven = overview(weights, 8, Entries.MAX_HASH_BITS);
        Overview even = overview(new double[7], 8, Entries.MAX_HASH_BITS);
        for (int i = 0; i < KEYS; i++) {
            long entry = entry(KEY_GROUPS.first() + (i % 16 == 0 ? 2 : 5));
            uneven.add(entry);
            even.add(entry);
        }
        int errors = 0;
        int errorsOfEven = 0;
        for (int i = 0; i < KEYS; i++) {
            long entry = entry(KEY_GROUPS.first() + (i % 16 == 0 ? 2 : 5));
            errors += uneven.mightContain(entry) ? 1 : 0;
            errorsOfEven += even.mightContain(entry) ? 1 : 0;
        }
        assertThat(errors).isLessThan(KEYS / 20);
        assertThat(errorsOfEven).isGreaterThan(KEYS / 2);
    }

    @Test
    void hasALineForEveryKeyGroup() {
        Overview small =
                new Overview(
                        OverviewMemory.HEAP::allocate,
                        KEY_GROUPS,
                        KeyGroupParts.WHOLE,
                        new double[7],
                        1,
                        1,
                        Entries.MAX_HASH_BITS);
        for (int keyGroup = KEY_GROUPS.first(); keyGroup < KEY_GROUPS.end(); keyGroup++) {
            long entry = entry(keyGroup);
            assertThat(small.add(entry)).isTrue();
            assertThat(small.mightContain(entry)).isTrue();
        }
    }

    private double errors(Overview overview) {
        int errors = 0;
        for (int i = 0; i < KEYS; i++) {
            errors += overview.mightContain(entry(anyKeyGroup())) ? 1 : 0;
        }
        return (double) errors / KEYS;
    }
}
