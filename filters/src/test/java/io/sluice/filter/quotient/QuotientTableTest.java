/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.Seeds;
import io.sluice.filter.memory.Storage;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
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
        return FingerprintModel.read(cursor, 7);
    }

    /** Few quotients and few remainders: many copies, long runs, runs in several blocks. */
    @Test
    void keepsValuesBelowKeysAsASortedMultisetDoes() {
        SplittableRandom random = Seeds.random();
        for (int round = 0; round < 60; round++) {
            long quotients = 2 + random.nextLong(200);
            int keyBits = random.nextInt(4);
            int valueBits = 1 + random.nextInt(4);
            int remainderBits = keyBits + valueBits;
            QuotientTable table = QuotientTable.create(Storage.HEAP, quotients, remainderBits);
            TreeMap<Long, Integer> model = new TreeMap<>();
            long end = quotients << remainderBits;
            // Some rounds crowd everything near one quotient.
            long width = round % 3 == 0 ? Math.min(end, 8L << remainderBits) : end;
            long from = random.nextLong(end - width + 1);
            long most = Math.max(1, quotients * 19 / 20);
            for (int i = 0; i < 400; i++) {
                long fingerprint = from + random.nextLong(width);
                Long near = model.floorKey(fingerprint);
                long held = near == null ? fingerprint : near;
                switch (random.nextInt(4)) {
                    case 0, 1 -> {
                        if (table.size() < most) {
                            table.insert(fingerprint);
                            model.merge(fingerprint, 1, Integer::sum);
                        }
                    }
                    case 2 -> assertThat(table.remove(held)).isEqualTo(removeOne(model, held));
                    default -> {
                        long by = held >>> remainderBits << remainderBits;
                        by |= random.nextLong(1L << remainderBits);
                        boolean there = removeOne(model, held);
                        assertThat(table.replace(held, by)).isEqualTo(there);
                        if (there) {
                            model.merge(by, 1, Integer::sum);
                        }
                    }
                }
                assertThat(table.matching(fingerprint, valueBits))
                        .isEqualTo(matching(model, fingerprint, valueBits));
                assertThat(table.matching(held, valueBits))
                        .isEqualTo(matching(model, held, valueBits));
            }
            table.checkInvariants();
            assertThat(read(table.cursor(0)))
                    .containsExactly(
                            model.entrySet().stream()
                                    .flatMapToLong(
                                            entry ->
                                                    LongStream.generate(entry::getKey)
                                                            .limit(entry.getValue()))
                                    .toArray());
        }
    }

    private static boolean removeOne(NavigableMap<Long, Integer> model, long fingerprint) {
        boolean there = model.containsKey(fingerprint);
        model.computeIfPresent(fingerprint, (f, copies) -> copies == 1 ? null : copies - 1);
        return there;
    }

    private static long matching(NavigableMap<Long, Integer> model, long fingerprint, int lowBits) {
        long least = fingerprint >>> lowBits << lowBits;
        SortedMap<Long, Integer> found = model.subMap(least, least + (1L << lowBits));
        return switch (found.size()) {
            case 0 -> QuotientTable.NONE;
            case 1 -> found.firstKey();
            default -> QuotientTable.SEVERAL;
        };
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
        assertThat(refused).hasMessageContaining("no room after the last quotient");
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

    @Test
    void aCursorPassesRunsOfSeveralBlocksBeforeItsQuotient() {
        QuotientTable table = QuotientTable.create(Storage.HEAP, 640, 8);
        for (long remainder = 0; remainder < 200; remainder++) {
            table.add(5L << 8 | remainder);
        }
        table.add(6L << 8 | 77);
        table.add(600L << 8);
        assertThat(read(table.cursor(5))).hasSize(202).startsWith(5L << 8);
        assertThat(read(table.cursor(6))).containsExactly(6L << 8 | 77, 600L << 8);
        assertThat(read(table.cursor(7))).containsExactly(600L << 8);
    }

    @Test
    void aTableIsAsLargeAsItIsSaidToBe() {
        for (long quotients : new long[] {2, 47, 48, 49, 1_000}) {
            long said = QuotientTable.sizeInBytes(quotients, 12);
            assertThat(QuotientTable.create(Storage.HEAP, quotients, 12).sizeInBytes())
                    .isBetween(said, said + 2 * 64);
        }
        // At least the remainders, and less than four bits more each.
        assertThat(QuotientTable.sizeInBytes(1L << 36, 12))
                .isBetween((1L << 36) * 12 / 8, (1L << 36) * 16 / 8);
        assertThatThrownBy(() -> QuotientTable.sizeInBytes((1L << 36) + 1, 12))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
