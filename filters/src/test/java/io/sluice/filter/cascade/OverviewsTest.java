/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.filter.cascade.file.PageCache;
import io.sluice.filter.memory.Words;
import io.sluice.filter.storage.CrashableDirectory;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When overviews are built, and that nothing is denied on the way. */
class OverviewsTest {

    private static final int KEYS = 60_000;

    private final SplittableRandom random = Seeds.random();
    private final Deque<Runnable> waiting = new ArrayDeque<>();

    private CascadeOptionsBuilder options() {
        return CascadeOptions.builder()
                .capacity(1_000_000)
                .falsePositiveProbability(1e-6)
                .bufferBytes(1 << 14)
                .resources(CascadeResources.of(new PageCache(1 << 20), waiting::add));
    }

    private void runAll() {
        while (!waiting.isEmpty()) {
            waiting.poll().run();
        }
    }

    /** Pages that lookups of absent keys have asked for, per lookup. */
    private double pagesAsked(CascadeFilter filter) {
        long before = pages(filter);
        int lookups = 10_000;
        for (int i = 0; i < lookups; i++) {
            filter.mightContain(random.nextLong());
        }
        return (double) (pages(filter) - before) / lookups;
    }

    private static long pages(CascadeFilter filter) {
        CascadeStatistics statistics = filter.statistics();
        return statistics.pageHits() + statistics.pageReads();
    }

    @Test
    void absentKeysAskNoFile() throws IOException {
        try (CascadeFilter filter =
                        CascadeFilter.open(new CrashableDirectory(), options().build());
                CascadeFilter without =
                        CascadeFilter.open(
                                new CrashableDirectory(),
                                options().overviewBitsPerKey(0).build())) {
            for (int i = 0; i < KEYS; i++) {
                long hash = random.nextLong();
                filter.insert(0, hash);
                without.insert(0, hash);
                runAll();
            }
            assertThat(pagesAsked(filter)).isLessThan(0.2);
            assertThat(pagesAsked(without)).isGreaterThan(1);
            assertThat(filter.sizeInBytes() - without.sizeInBytes())
                    .isBetween(KEYS * 8L / 10, KEYS * 25L / 10);
        }
    }

    /**
     * What is so large that its overview is built by ranges of key groups, of whole and part files.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 50})
    void anOverviewOfManyRangesHasAllKeys(int first) throws IOException {
        long[] hashes = random.longs(3_000_000).toArray();
        CrashableDirectory directory = new CrashableDirectory();
        CascadeOptionsBuilder options = options().capacity(6_000_000).bufferBytes(1 << 25);
        byte[] manifest;
        try (CascadeFilter filter =
                CascadeFilter.open(directory, options.keyGroups(0, 100).build())) {
            for (int i = 0; i < hashes.length; i++) {
                filter.insert(i % 100, hashes[i]);
                runAll();
            }
            try (CascadeSnapshot snapshot = filter.snapshot()) {
                snapshot.prepare();
                manifest = snapshot.manifest();
            }
        }
        waiting.clear();
        try (CascadeFilter filter =
                CascadeFilter.restore(
                        directory,
                        options.keyGroups(first, 100 - first).overviewBitsPerKey(32).build(),
                        List.of(manifest))) {
            runAll();
            for (int i = 0; i < hashes.length; i++) {
                if (i % 100 >= first) {
                    assertThat(filter.mightContain(i % 100, hashes[i])).isTrue();
                }
            }
            long pages = pages(filter);
            for (int i = 0; i < 1_000; i++) {
                filter.mightContain(99, random.nextLong());
            }
            assertThat(pages(filter) - pages).isLessThan(100);
        }
    }

    /** Until there is one, every absent key asks all files; merges would hold it up. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theOverviewOfAnOpenedFilterComesBeforeItsMerges(boolean expires) throws IOException {
        CrashableDirectory directory = new CrashableDirectory();
        CascadeOptionsBuilder options = options();
        if (expires) {
            options.timeToLive(Duration.ofHours(1), 4);
        }
        try (CascadeFilter filter = CascadeFilter.open(directory, options.build())) {
            filter.advanceTo(0);
            for (int i = 0; i < KEYS; i++) {
                filter.insert(0, random.nextLong());
                if (i % 1_000 == 0) {
                    try (CascadeSnapshot snapshot = filter.snapshot()) {
                        snapshot.prepare();
                    }
                }
            }
        }
        waiting.clear();
        try (CascadeFilter filter = CascadeFilter.open(directory, options.build())) {
            int files = filter.statistics().files();
            filter.advanceTo(1);
            for (int tasks = waiting.size(); tasks > 0; tasks--) {
                waiting.poll().run();
            }
            filter.mightContain(0);
            assertThat(filter.statistics().files()).isEqualTo(files).isGreaterThan(10);
            assertThat(pagesAsked(filter)).isLessThan(files / 10.0);
            runAll();
            filter.mightContain(0);
            assertThat(filter.statistics().files()).isLessThan(10);
        }
    }

    /** No matter how few buffers the set has filled so far. */
    @Test
    void absentKeysAskNoFileAtAnyTime() throws IOException {
        CascadeOptions few = options().bufferBytes(1 << 17).build();
        try (CascadeFilter filter = CascadeFilter.open(new CrashableDirectory(), few)) {
            for (int i = 1; i <= KEYS; i++) {
                filter.insert(0, random.nextLong());
                runAll();
                if (i % 5_000 == 0) {
                    assertThat(pagesAsked(filter)).as("with %s keys", i).isLessThan(0.2);
                }
            }
            assertThat(filter.statistics().flushes()).isBetween(2L, 8L);
        }
    }

    /** A snapshot froze a small buffer, and the next one is filled before it is frozen. */
    @Test
    void absentKeysAskNoFileWhileALargeBufferFollowsASmallOne() throws IOException {
        CascadeOptions large = options().bufferBytes(1 << 19).build();
        try (CascadeFilter filter = CascadeFilter.open(new CrashableDirectory(), large)) {
            for (int i = 0; i < 100; i++) {
                filter.insert(0, random.nextLong());
            }
            filter.snapshot().close();
            runAll();
            for (int i = 1; i <= KEYS; i++) {
                filter.insert(0, random.nextLong());
                if (i % 10_000 == 0) {
                    assertThat(pagesAsked(filter)).as("with %s keys", i).isLessThan(0.2);
                }
            }
            assertThat(filter.statistics().flushes()).isEqualTo(1);
        }
    }

    /** Extra bytes that a filter of few keys takes because it has an overview. */
    private long bytesOfFewKeys(long overviewBytes) throws IOException {
        long[] bytes = new long[2];
        for (int bits : new int[] {0, 8}) {
            CascadeOptions options =
                    options()
                            .bufferBytes(1 << 20)
                            .overviewBitsPerKey(bits)
                            .overviewBytes(overviewBytes)
                            .build();
            try (CascadeFilter filter = CascadeFilter.open(new CrashableDirectory(), options)) {
                for (int i = 1; i <= 1_000; i++) {
                    filter.insert(0, random.nextLong());
                    if (i % 100 == 0) {
                        filter.snapshot().close();
                        runAll();
                    }
                }
                assertThat(pagesAsked(filter)).isLessThan(bits > 0 ? 0.5 : 10);
                bytes[bits / 8] = filter.sizeInBytes();
            }
        }
        return bytes[1] - bytes[0];
    }

    @Test
    void aSmallSetHasOneForAFullBuffer() throws IOException {
        assertThat(bytesOfFewKeys(1 << 20)).isBetween(10_000L, 1L << 18);
    }

    @Test
    void aSmallSetWithLittleMemoryHasASmallOne() throws IOException {
        assertThat(bytesOfFewKeys(8_000)).isBetween(1_000L, 4_100L);
    }

    /** What is held is looked for first where most was found lately. */
    @Test
    void keysThatAreRepeatedSoonAskNoFile() throws IOException {
        CascadeOptions large = options().bufferBytes(1 << 17).build();
        try (CascadeFilter filter = CascadeFilter.open(new CrashableDirectory(), large)) {
            long[] hashes = random.longs(KEYS).toArray();
            for (long hash : hashes) {
                filter.insert(0, hash);
                runAll();
            }
            for (int i = 0; i < 10_000; i++) {
                assertThat(filter.mightContain(hashes[i])).isTrue();
            }
            filter.snapshot().close();
            runAll();
            long[] recent = random.longs(1_000).toArray();
            for (long hash : recent) {
                filter.insert(0, hash);
            }
            for (int round = 0; round < 5; round++) {
                for (long hash : recent) {
                    assertThat(filter.mightContain(hash)).isTrue();
                }
            }
            long before = pages(filter);
            for (long hash : recent) {
                assertThat(filter.mightContain(hash)).isTrue();
            }
            assertThat(pages(filter) - before).isLessThan(20);
        }
    }

    @Test
    void oneIsBuiltAgainWhenAFilterIsOpened() throws IOException {
        CrashableDirectory directory = new CrashableDirectory();
        long[] hashes = random.longs(KEYS).toArray();
        try (CascadeFilter filter = CascadeFilter.open(directory, options().build())) {
            for (long hash : hashes) {
                filter.insert(0, hash);
                runAll();
            }
        }
        try (CascadeFilter filter = CascadeFilter.open(directory, options().build())) {
            assertThat(pagesAsked(filter)).isGreaterThan(0.9);
            runAll();
            assertThat(pagesAsked(filter)).isLessThan(0.2);
            for (long hash : hashes) {
                assertThat(filter.mightContain(hash)).isTrue();
            }
        }
    }

    /** The worst time for a build to end, at every hundredth addition after its beginning. */
    @Test
    void whatIsAddedWhileOneIsBuiltIsInIt() throws IOException {
        for (int late = 0; late < 3_000; late += 100) {
            waiting.clear();
            try (CascadeFilter filter =
                    CascadeFilter.open(new CrashableDirectory(), options().build())) {
                long[] hashes = random.longs(12_000).toArray();
                int added = 0;
                int sinceTask = 0;
                for (long hash : hashes) {
                    if (added++ % 3 == 0) {
                        filter.insert(0, hash);
                    } else {
                        assertThat(filter.add(hash)).isTrue();
                    }
                    sinceTask = waiting.isEmpty() ? 0 : sinceTask + 1;
                    if (sinceTask > late) {
                        waiting.poll().run();
                        sinceTask = 0;
                    }
                }
                for (long hash : hashes) {
                    assertThat(filter.add(hash)).as("late by %s", late).isFalse();
                }
                runAll();
            }
        }
    }

    /** The file that has it is asked before anything else, if that is allowed. */
    @Test
    void whatIsRemovedIsAbsentWhereverItsTombstoneIs() throws IOException {
        long[] hashes = random.longs(KEYS).toArray();
        try (CascadeFilter filter =
                CascadeFilter.open(new CrashableDirectory(), options().build())) {
            for (long hash : hashes) {
                filter.insert(0, hash);
                runAll();
            }
            filter.flush();
            runAll();
            assertThat(filter.add(hashes[0])).isFalse();
            for (int i = 0; i < 10; i++) {
                assertThat(filter.remove(0, hashes[i])).isTrue();
            }
            assertRemoved(filter, hashes, 0, "the buffer");
            filter.snapshot().close();
            assertThat(filter.statistics().bufferedEntries()).isPositive();
            assertRemoved(filter, hashes, 1, "a frozen buffer");
            runAll();
            filter.flush();
            assertRemoved(filter, hashes, 2, "a file");
        }
    }

    private static void assertRemoved(CascadeFilter filter, long[] hashes, int at, String where) {
        assertThat(filter.mightContain(0, hashes[at])).as("tombstone in " + where).isFalse();
        assertThat(filter.add(0, hashes[at])).as("tombstone in " + where).isTrue();
        assertThat(filter.add(0, hashes[at])).as("tombstone in " + where).isFalse();
    }

    @Test
    void whatOutgrowsItsMemoryGetsFewerBitsAndFinallyNone() throws IOException {
        long most = KEYS;
        try (CascadeFilter filter =
                        CascadeFilter.open(
                                new CrashableDirectory(), options().overviewBytes(most).build());
                CascadeFilter without =
                        CascadeFilter.open(
                                new CrashableDirectory(),
                                options().overviewBitsPerKey(0).build())) {
            double asked = 0;
            for (int i = 1; i <= 4 * KEYS; i++) {
                long hash = random.nextLong();
                filter.insert(0, hash);
                without.insert(0, hash);
                runAll();
                if (i % (KEYS / 10) == 0) {
                    assertThat(filter.sizeInBytes() - without.sizeInBytes())
                            .isLessThan(most + most / 100);
                }
                if (i == KEYS) {
                    asked = pagesAsked(filter);
                }
            }
            // With half of the memory each, 4 bits a key.
            assertThat(asked).isBetween(0.05, 1.0);
            assertThat(filter.sizeInBytes()).isEqualTo(without.sizeInBytes());
            assertThat(pagesAsked(filter)).isGreaterThan(0.9);
        }
    }

    @Test
    void expiredEntriesLeaveTheNextOne() throws IOException {
        CascadeOptions options = options().timeToLive(Duration.ofMillis(100), 4).build();
        try (CascadeFilter filter = CascadeFilter.open(new CrashableDirectory(), options)) {
            long most = 0;
            for (int time = 0; time < 3_000; time++) {
                filter.advanceTo(time);
                for (int i = 0; i < 100; i++) {
                    filter.add(random.nextLong());
                }
                runAll();
                if (time > 2_000) {
                    most = Math.max(most, filter.statistics().memoryBytes());
                }
            }
            // 12,500 entries live; 300,000 have been there.
            assertThat(filter.statistics().entries()).isLessThan(15_000);
            assertThat(most).isLessThan(150_000);
            assertThat(pagesAsked(filter)).isLessThan(0.5);
        }
    }

    /** Grants nothing, or grants memory that the system then does not have. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void withoutMemoryThereIsNoneAndNothingFails(boolean isGranted) throws IOException {
        long[] reserved = new long[1];
        OverviewMemory none =
                new OverviewMemory() {
                    @Override
                    public long reserve(long wanted, long least) {
                        reserved[0] += isGranted ? wanted : 0;
                        return isGranted ? wanted : 0;
                    }

                    @Override
                    public void release(long bytes) {
                        reserved[0] -= bytes;
                    }

                    @Override
                    public Words allocate(long words) {
                        throw new OutOfMemoryError("none for overviews");
                    }
                };
        CascadeOptions options = options().overviewMemory(none).build();
        try (CascadeFilter filter = CascadeFilter.open(new CrashableDirectory(), options)) {
            long[] hashes = random.longs(KEYS).toArray();
            for (long hash : hashes) {
                filter.insert(0, hash);
                runAll();
            }
            for (int i = 0; i < KEYS; i += 97) {
                assertThat(filter.mightContain(0, hashes[i])).isTrue();
            }
        }
        assertThat(reserved[0]).isZero();
    }
}
