/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.cascade.file.PageCache;
import io.sluice.filter.storage.CrashableDirectory;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Merges of eras of a set that once outgrew its capacity, and of which most was removed since. */
class ErasMergeTest {

    private static final int CAPACITY = 100_000;

    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private final long[] hashes = SmallFilters.hashes(10 * CAPACITY);
    private CascadeFilter filter;
    private int removed;
    private int added;

    @BeforeEach
    void open() throws IOException {
        filter =
                CascadeFilter.open(
                        new CrashableDirectory(),
                        SmallFilters.small()
                                .capacity(CAPACITY)
                                .falsePositiveProbability(1e-6)
                                .resources(
                                        CascadeResources.of(new PageCache(1 << 20), waiting::add))
                                .build());
    }

    @AfterEach
    void close() throws IOException {
        filter.close();
    }

    private void addAndRemove(int upTo, int held) throws IOException {
        while (added < upTo) {
            filter.add(hashes[added++]);
            for (; removed < added - held; removed++) {
                filter.remove(hashes[removed]);
            }
            while (!waiting.isEmpty()) {
                waiting.poll().run();
            }
        }
    }

    @Test
    void whatIsLeftOfAnEraIsNotRewrittenWithEveryBuffer() throws IOException {
        addAndRemove(2 * CAPACITY, 2 * CAPACITY);
        addAndRemove(4 * CAPACITY, CAPACITY / 5);
        long before = filter.statistics().mergedEntries();
        addAndRemove(10 * CAPACITY, CAPACITY / 5);
        // Each is added and removed.
        double writesPerEntry =
                (double) (filter.statistics().mergedEntries() - before) / (12 * CAPACITY);
        assertThat(writesPerEntry).isLessThan(6);
        for (int i = removed; i < added; i++) {
            assertThat(filter.mightContain(hashes[i])).isTrue();
        }
    }

    /**
     * Tombstones of what was both added and removed in a later era hide nothing of the first one:
     * they are no reason to join the two.
     */
    @ParameterizedTest
    @ValueSource(ints = {7, 20})
    void whatStaysIsHeldHoweverMuchComesAndGoes(int timesCapacity) throws IOException {
        int capacity = 2_000;
        long[] all = SmallFilters.hashes(300_000);
        int stays = timesCapacity * capacity;
        try (CascadeFilter small =
                CascadeFilter.open(
                        new CrashableDirectory(),
                        SmallFilters.small()
                                .capacity(capacity)
                                .bufferBytes(1 << 13)
                                .falsePositiveProbability(1e-6)
                                .capacityPolicy(CapacityPolicy.FORGET_OLDEST)
                                .resources(
                                        CascadeResources.of(new PageCache(1 << 20), waiting::add))
                                .build())) {
            long mostEntries = 0;
            for (int i = 0; i < all.length; i++) {
                small.insert(0, all[i]);
                int gone = i - capacity;
                if (gone >= stays) {
                    small.remove(0, all[gone]);
                }
                while (!waiting.isEmpty()) {
                    waiting.poll().run();
                }
                mostEntries = Math.max(mostEntries, small.statistics().entries());
            }
            assertThat(small.statistics().forgottenEntries()).isZero();
            assertThat(small.statistics().falsePositiveBound()).isEqualTo(1e-6);
            assertThat(mostEntries).isLessThan(3L * (stays + capacity));
            int denied = 0;
            for (int i = 0; i < stays; i++) {
                denied += small.mightContain(0, all[i]) ? 0 : 1;
            }
            // A removal hides another one with about the probability of a false positive.
            assertThat(denied).isLessThan(5);
        }
    }
}
