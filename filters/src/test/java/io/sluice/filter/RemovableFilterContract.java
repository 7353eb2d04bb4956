/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What every {@link RemovableFilter} promises in addition. */
public abstract class RemovableFilterContract extends MembershipFilterContract {

    @Override
    protected abstract RemovableFilter create(int capacity);

    @Test
    void removesNothingFromAnEmptyFilter() {
        RemovableFilter filter = create(CAPACITY);
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < 1_000; i++) {
            assertThat(filter.remove(random.nextLong())).isFalse();
        }
    }

    /** Only hashes that {@code add} called absent are removed, so none shares a fingerprint. */
    @Test
    void neverDeniesWhatWasNotRemoved() {
        RemovableFilter filter = create(CAPACITY);
        SplittableRandom random = Seeds.random();
        List<Long> held = new ArrayList<>();
        for (int i = 0; i < 20 * CAPACITY; i++) {
            boolean grow = held.size() < CAPACITY / 2 || random.nextBoolean();
            if (grow && held.size() < CAPACITY) {
                long hash = random.nextLong();
                if (filter.add(hash)) {
                    held.add(hash);
                }
            } else {
                int at = random.nextInt(held.size());
                long hash = held.get(at);
                held.set(at, held.get(held.size() - 1));
                held.remove(held.size() - 1);
                assertThat(filter.remove(hash)).isTrue();
            }
            if (i % 1_000 == 0) {
                assertThat(held).allMatch(filter::mightContain);
            }
        }
        assertThat(held).allMatch(filter::mightContain);
        for (long hash : held) {
            assertThat(filter.remove(hash)).isTrue();
        }
        for (int i = 0; i < 10_000; i++) {
            assertThat(filter.mightContain(random.nextLong())).as("all was removed").isFalse();
        }
    }
}
