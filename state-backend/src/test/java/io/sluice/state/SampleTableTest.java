/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

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

    @Test
    void anEntryKeepsItsParts() {
        for (long time : new long[] {SampleEntry.MIN_TIME, -1, 0, 1, SampleEntry.MAX_TIME}) {
            for (int keyGroup : new int[] {0, 1, 32767}) {
                long entry = SampleEntry.counted(keyGroup, time, true);
                assertThat(SampleEntry.time(entry)).isEqualTo(time);
                assertThat(SampleEntry.keyGroup(entry)).isEqualTo(keyGroup);
                assertThat(SampleEntry.isValid(entry)).isTrue();
                long later = SampleEntry.at(7, entry);
                assertThat(SampleEntry.time(later)).isEqualTo(7);
                assertThat(SampleEntry.keyGroup(later)).isEqualTo(keyGroup);
                assertThat(SampleEntry.isDropped(later)).isTrue();
                assertThat(SampleEntry.isCounted(SampleEntry.known(keyGroup, time))).isFalse();
                assertThat(SampleEntry.known(keyGroup, time)).isNotZero();
            }
        }
    }

    /** A table that thins out, compared with a map that does not. */
    @Test
    void theTableHoldsWhatAMapHolds() {
        SplittableRandom random = new SplittableRandom(Seeds.seed(1));
        SampleTable table = new SampleTable(Words.allocate(Storage.HEAP, 2 * 256));
        Map<Long, Long> model = new HashMap<>();
        for (int round = 0; round < 200; round++) {
            while (table.size() < table.most()) {
                long hash = random.nextInt(4000) * 0x9E3779B97F4A7C15L;
                long entry = SampleEntry.known(random.nextInt(3), random.nextInt(100));
                int slot = table.find(hash, SampleEntry.keyGroup(entry));
                long key = hash ^ SampleEntry.keyGroup(entry);
                assertThat(slot >= 0).isEqualTo(model.containsKey(key));
                if (slot < 0) {
                    table.add(hash, entry);
                } else {
                    assertThat(table.entry(slot)).isEqualTo(model.get(key));
                    table.set(slot, entry);
                }
                model.put(key, entry);
            }
            long below = random.nextInt(100);
            table.removeIf((hash, entry) -> SampleEntry.time(entry) < below);
            model.values().removeIf(entry -> SampleEntry.time(entry) < below);
            assertThat(table.size()).isEqualTo(model.size());
        }
        long[] entries = table.entries();
        for (int i = 0; i < entries.length; i += 2) {
            assertThat(model)
                    .containsEntry(
                            entries[i] ^ SampleEntry.keyGroup(entries[i + 1]), entries[i + 1]);
        }
    }

    /** A checkpoint can name any hashes; these took time in proportion to the square of them. */
    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void hashesThatSharedASlotAreFoundAtOnce() {
        SampleTable table = new SampleTable(Words.allocate(Storage.HEAP, 2 << 19));
        for (int i = 0; i < table.most(); i++) {
            long hash = SharedSlots.hash(i, 0xD6E8FEB86659FD93L);
            assertThat(table.find(hash, 0)).isNegative();
            table.add(hash, SampleEntry.known(0, 0));
        }
        table.removeIf((hash, entry) -> true);
        assertThat(table.size()).isZero();
    }
}
