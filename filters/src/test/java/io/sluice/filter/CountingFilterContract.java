/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What every {@link CountingFilter} promises in addition. */
public abstract class CountingFilterContract extends RemovableFilterContract {

    @Override
    protected abstract CountingFilter create(int capacity);

    @Test
    void countsWhatWasInsertedAndNotRemoved() {
        CountingFilter filter = create(CAPACITY);
        SplittableRandom random = Seeds.random();
        Map<Long, Long> model = new HashMap<>();
        long max = filter.maxCount();
        int keys = CAPACITY / 2;
        for (int i = 0; i < 20 * CAPACITY; i++) {
            long hash = mix(random.nextInt(keys));
            long held = model.getOrDefault(hash, 0L);
            if (random.nextInt(3) > 0 || held == 0) {
                int copies = 1 + random.nextInt(3);
                filter.insert(hash, copies);
                model.put(hash, held + copies);
            } else if (filter.count(hash) < max) {
                assertThat(filter.remove(hash)).isTrue();
                model.put(hash, held - 1);
            }
            long expected = Math.min(max, model.get(hash));
            assertThat(filter.count(hash)).isGreaterThanOrEqualTo(expected);
        }
        long exact = 0;
        for (Map.Entry<Long, Long> entry : model.entrySet()) {
            long count = filter.count(entry.getKey());
            assertThat(count).isGreaterThanOrEqualTo(Math.min(max, entry.getValue()));
            exact += count == Math.min(max, entry.getValue()) ? 1 : 0;
        }
        // Hashes that share a fingerprint are counted together.
        assertThat((double) exact / model.size()).isGreaterThan(1 - 2 * fpp() - 0.01);
    }

    @Test
    void removeAllTakesOutAllCopies() {
        CountingFilter filter = create(CAPACITY);
        filter.insert(17, 3);
        assertThat(filter.removeAll(17)).isEqualTo(3);
        assertThat(filter.count(17)).isZero();
        assertThat(filter.removeAll(17)).isZero();
    }

    @Test
    void aSaturatedCountStays() {
        CountingFilter filter = create(CAPACITY);
        int max = (int) Math.min(filter.maxCount(), 1 << 20);
        if (max == filter.maxCount()) {
            filter.insert(17, max);
            filter.insert(17, max);
            assertThat(filter.count(17)).isEqualTo(max);
            assertThat(filter.remove(17)).isTrue();
            assertThat(filter.count(17)).isEqualTo(max);
        }
    }

    @Test
    void refusesFewerThanOneCopy() {
        assertThatThrownBy(() -> create(CAPACITY).insert(1, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("copies");
    }
}
