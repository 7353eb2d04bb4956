/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.Seeds;
import io.sluice.filter.memory.Storage;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class QuotientTableTest {

    @Test
    void holdsTheSameAsASortedSetForAnyNumberOfQuotients() {
        SplittableRandom random = Seeds.random();
        for (long quotients : new long[] {2, 3, 47, 48, 49, 97, 640, 3 << 8}) {
            for (Storage storage : Storage.values()) {
                int remainderBits = 1 + random.nextInt(40);
                QuotientTable table = QuotientTable.create(storage, quotients, remainderBits);
                TreeSet<Long> model = new TreeSet<>();
                long end = quotients << remainderBits;
                long most = Math.max(1, quotients * 9 / 10);
                for (int i = 0; i < 20 * quotients; i++) {
                    long fingerprint = random.nextLong(end);
                    if (model.size() < most && random.nextInt(3) > 0) {
                        assertThat(table.add(fingerprint)).isEqualTo(model.add(fingerprint));
                    } else if (!model.isEmpty()) {
                        Long near = model.floor(fingerprint);
                        long victim = near == null || random.nextInt(4) == 0 ? fingerprint : near;
                        assertThat(table.remove(victim)).isEqualTo(model.remove(victim));
                    }
                    table.touch(fingerprint);
                    assertThat(table.contains(fingerprint)).isEqualTo(model.contains(fingerprint));
                }
                assertThat(table.size()).isEqualTo(model.size());
                table.checkInvariants();
                long from = random.nextLong(quotients);
                assertThat(read(table.cursor(from)))
                        .containsExactly(
                                model.tailSet(from << remainderBits).stream()
                                        .mapToLong(f -> f)
                                        .toArray());
                table.clear();
                table.checkInvariants();
                assertThat(table.size()).isZero();
                assertThat(read(table.cursor(0))).isEmpty();
                assertThat(table.add(end - 1)).isTrue();
            }
        }
    }

    private static long[] read(FingerprintCursor cursor) {
        long[] all = new long[1 << 12];
        int count = 0;
        for (int n = cursor.next(all, 0, 7); n > 0; n = cursor.next(all, count, 7)) {
            count += n;
        }
        return Arrays.copyOf(all, count);
    }

    @Test
    void crowdingIsRefusedAndChangesNothing() {
        QuotientTable table = QuotientTable.create(Storage.HEAP, 3, 30);
        long added = 0;
        FilterFullException refused = null;
        while (refused == null) {
            try {
                table.add((2L << 30) + added);
                added++;
            } catch (FilterFullException e) {
                refused = e;
            }
        }
        assertThat(refused).hasMessageContaining("no room behind the last quotient");
        assertThat(table.size()).isEqualTo(added);
        assertThat(table.contains((2L << 30) + added)).isFalse();
        table.checkInvariants();
    }

    @Test
    void impossibleTablesAreRefused() {
        assertThatThrownBy(() -> QuotientTable.create(Storage.HEAP, 1, 8))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("quotients must be between 2 and 2^36, got 1");
        assertThatThrownBy(() -> QuotientTable.sizeInBytes(1 << 20, 44))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("remainderBits must be between 1 and 43");
    }
}
