/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.cascade.file.Entries;
import io.sluice.filter.cascade.file.LevelFileInfo;
import io.sluice.filter.cascade.file.PageCache;
import io.sluice.filter.storage.CrashableDirectory;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
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

    private void runAll() {
        while (!waiting.isEmpty()) {
            waiting.poll().run();
        }
    }

    private void addAndRemove(int upTo, int held) throws IOException {
        while (added < upTo) {
            filter.add(hashes[added++]);
            for (; removed < added - held; removed++) {
                filter.remove(hashes[removed]);
            }
            runAll();
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
                runAll();
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

    /** A tombstone that is cut to few bits hides what stays with a greater probability. */
    @Test
    void tombstonesDoNotMeetWhatWasWrittenForAGreaterProbability() throws IOException {
        int stays = 10_000;
        CascadeOptionsBuilder options =
                SmallFilters.small()
                        .capacity(stays)
                        .resources(CascadeResources.of(new PageCache(1 << 20), waiting::add));
        CrashableDirectory directory = new CrashableDirectory();
        try (CascadeFilter lax =
                CascadeFilter.open(directory, options.falsePositiveProbability(1e-2).build())) {
            for (int i = 0; i < stays; i++) {
                lax.insert(0, hashes[i]);
            }
            runAll();
        }
        waiting.clear();
        try (CascadeFilter strict =
                CascadeFilter.open(directory, options.falsePositiveProbability(1e-6).build())) {
            runAll();
            for (int i = stays; i < 2 * stays; i++) {
                strict.insert(0, hashes[i]);
                runAll();
            }
            for (int i = stays; i < 2 * stays; i++) {
                strict.remove(0, hashes[i]);
                runAll();
            }
            int denied = 0;
            for (int i = 0; i < stays; i++) {
                denied += strict.mightContain(0, hashes[i]) ? 0 : 1;
            }
            assertThat(denied).isLessThan(3);
        }
    }

    private final CascadeOptions keyGroups =
            SmallFilters.small()
                    .keyGroups(0, 64)
                    .capacity(6_400)
                    .falsePositiveProbability(1e-6)
                    .build();

    /** All of a later era that stays is of one key group, which has few of the entries. */
    @Test
    void aKeyGroupThatStaysIsNotTakenForOneThatGoes() {
        List<Merge> merges = plan(file(1, 128_000, 126_000), file(0, 1, 0));
        assertThat(merges).hasSize(1);
        assertThat(merges.get(0).inputs()).hasSize(2);
        assertThat(merges.get(0).keepsHashBits()).isTrue();
    }

    /** Nothing is added to it any more, so it is worth no wait. */
    @Test
    void aSmallEraBetweenOthersJoinsTheOlderOne() {
        List<Merge> merges = plan(file(2, 2_000, 0), file(1, 100, 0), file(0, 1_000, 0));
        assertThat(merges).hasSize(1);
        assertThat(merges.get(0).inputs()).extracting(FileSection::entries).contains(100L, 1_000L);
        assertThat(merges.get(0).keepsHashBits()).isFalse();
    }

    private List<Merge> plan(FileSection... newestFirst) {
        Version version = new Version(List.of(), List.of(newestFirst));
        return new MergeSchedule(keyGroups).plan(version, file -> null);
    }

    private FileSection file(int era, int entries, int tombstones) {
        long[] all = new long[entries];
        for (int i = 0; i < entries; i++) {
            all[i] = Entries.of(i % 64, hashes[i]);
        }
        KeyGroupCounts counts = new KeyGroupCounts(keyGroups.keyGroups(), keyGroups.parts());
        counts.add(all, entries);
        LevelFileInfo info =
                new LevelFileInfo(
                        "level-" + era,
                        4_096,
                        entries,
                        tombstones,
                        Entries.firstOf(0),
                        Entries.lastBefore(64),
                        keyGroups.eras().hashBits(era),
                        1,
                        era);
        return new FileSection(
                new StoredFile(info, null, counts), keyGroups.keyGroups(), TimeBuckets.NEVER);
    }
}
