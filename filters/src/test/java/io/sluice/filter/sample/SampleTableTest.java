/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.filter.hash.SharedSlots;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.memory.Words;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SampleTableTest {

    private static final SampleRecord LAYOUT = new SampleRecord(15);

    private static SampleTable table(int slots) {
        return new SampleTable(LAYOUT, Words.allocate(Storage.HEAP, 2L * slots));
    }

    @Test
    void aRecordKeepsItsParts() {
        for (int groupBits : new int[] {0, 15, 16}) {
            SampleRecord layout = new SampleRecord(groupBits);
            for (long time : new long[] {-layout.maxTime(), -1, 0, 1, layout.maxTime()}) {
                for (int group : new int[] {0, (1 << groupBits) - 1}) {
                    long record =
                            layout.of(group, time, SampleRecord.COUNTED | SampleRecord.DROPPED);
                    assertThat(layout.time(record)).isEqualTo(time);
                    assertThat(layout.group(record)).isEqualTo(group);
                    assertThat(SampleRecord.isValid(record)).isTrue();
                    assertThat(SampleRecord.has(SampleRecord.UNBOUND, record)).isFalse();
                    long later = layout.at(7, record);
                    assertThat(layout.time(later)).isEqualTo(7);
                    assertThat(layout.group(later)).isEqualTo(group);
                    assertThat(SampleRecord.has(SampleRecord.DROPPED, later)).isTrue();
                    assertThat(layout.of(group, time, 0)).isNotZero();
                }
            }
        }
    }

    @Test
    void aRecordWhoseTimeDoesNotFitClaimsNothing() {
        for (long time : new long[] {LAYOUT.maxTime() + 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            long record = LAYOUT.of(3, time, 0);
            assertThat(LAYOUT.time(record))
                    .isEqualTo(time < 0 ? -LAYOUT.maxTime() : LAYOUT.maxTime());
            assertThat(SampleRecord.has(SampleRecord.UNBOUND, record)).isTrue();
        }
    }

    @Test
    void anIdCanHaveSeveralRecords() {
        SampleTable table = table(8);
        for (long time : new long[] {5, 3, 4}) {
            table.add(7, LAYOUT.of(1, time, 0));
        }
        table.add(7, LAYOUT.of(2, 1, 0));
        assertThat(table.times(1, 7)).isEqualTo(3);
        assertThat(LAYOUT.time(table.record(table.oldest(1, 7)))).isEqualTo(3);
        assertThat(table.times(2, 7)).isEqualTo(1);
        assertThat(table.times(0, 7)).isZero();
        assertThat(table.oldest(0, 7)).isNegative();
        table.removeIf((hash, record) -> LAYOUT.time(record) == 3);
        assertThat(table.times(1, 7)).isEqualTo(2);
    }

    @Test
    void aTableWithoutSlotsHoldsNothing() {
        SampleTable table = table(0);
        assertThat(table.first(0, 7)).isNegative();
        assertThat(table.most()).isZero();
        assertThat(table.entries()).isEmpty();
    }

    /** A table that thins out, compared with a map that does not. */
    @Test
    void theTableHoldsWhatAMapHolds() {
        SplittableRandom random = new SplittableRandom(Seeds.seed(1));
        SampleTable table = table(256);
        Map<Long, Long> model = new HashMap<>();
        for (int round = 0; round < 200; round++) {
            while (table.size() < table.most()) {
                long hash = random.nextInt(4000) * 0x9E3779B97F4A7C15L;
                long entry = LAYOUT.of(random.nextInt(3), random.nextInt(100), 0);
                int slot = table.first(LAYOUT.group(entry), hash);
                long key = hash ^ LAYOUT.group(entry);
                assertThat(slot >= 0).isEqualTo(model.containsKey(key));
                if (slot < 0) {
                    table.add(hash, entry);
                } else {
                    assertThat(table.record(slot)).isEqualTo(model.get(key));
                    table.set(slot, entry);
                }
                model.put(key, entry);
            }
            long below = random.nextInt(100);
            table.removeIf((hash, entry) -> LAYOUT.time(entry) < below);
            model.values().removeIf(entry -> LAYOUT.time(entry) < below);
            assertThat(table.size()).isEqualTo(model.size());
        }
        long[] entries = table.entries();
        for (int i = 0; i < entries.length; i += 2) {
            assertThat(model)
                    .containsEntry(entries[i] ^ LAYOUT.group(entries[i + 1]), entries[i + 1]);
        }
    }

    /** A checkpoint can name any hashes; these took time in proportion to the square of them. */
    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void hashesThatSharedASlotAreFoundAtOnce() {
        SampleTable table = table(1 << 19);
        for (int i = 0; i < table.most(); i++) {
            long hash = SharedSlots.hash(i, 0xD6E8FEB86659FD93L);
            assertThat(table.first(0, hash)).isNegative();
            table.add(hash, LAYOUT.of(0, 0, 0));
        }
        table.removeIf((hash, entry) -> true);
        assertThat(table.size()).isZero();
    }
}
