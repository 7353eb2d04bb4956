/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.Seeds;
import io.sluice.filter.hash.SharedSlots;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ExactKeysTest {

    @Test
    void isAMapUpToItsCapacity() {
        ExactKeys keys = new ExactKeys(300);
        Map<Long, Integer> model = new HashMap<>();
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < 200_000; i++) {
            // Few hashes, so that most operations meet a key; a run at both ends of the table.
            long hash = random.nextInt(400);
            if (random.nextInt(5) < 3) {
                int value = random.nextInt(1_000);
                keys.put(hash, value);
                if (model.containsKey(hash) || model.size() < 300) {
                    model.put(hash, value);
                }
            } else {
                keys.remove(hash);
                model.remove(hash);
            }
            assertThat(keys.size()).isEqualTo(model.size());
            long asked = random.nextInt(400);
            assertThat(keys.get(asked)).isEqualTo(model.getOrDefault(asked, KeyValueFilter.ABSENT));
        }
        assertThat(keys.sortedHashes())
                .containsExactly(model.keySet().stream().mapToLong(x -> x).sorted().toArray());
    }

    /** A file can name any hashes; these took time in proportion to the square of their number. */
    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void hashesThatSharedASlotAreFoundAtOnce() {
        int count = 400_000;
        ExactKeys keys = new ExactKeys(count);
        for (int i = 0; i < count; i++) {
            keys.put(SharedSlots.hash(i, 0x9E3779B97F4A7C15L), 1);
        }
        assertThat(keys.size()).isEqualTo(count);
    }

    @Test
    void withoutCapacityHoldsNothing() {
        ExactKeys keys = new ExactKeys(0);
        keys.put(1, 1);
        keys.remove(1);
        assertThat(keys.get(1)).isEqualTo(KeyValueFilter.ABSENT);
        assertThat(keys.size()).isZero();
    }
}
