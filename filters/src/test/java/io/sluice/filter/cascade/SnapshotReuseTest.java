/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.filter.cascade.file.LevelFileInfo;
import io.sluice.filter.cascade.file.PageCache;
import io.sluice.filter.storage.CrashableDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are stored already stand in for those that were merged from them. */
class SnapshotReuseTest {

    private static final int SNAPSHOTS = 200;

    private static final int HASHES_OF_A_SNAPSHOT = 10_000;

    private final SplittableRandom random = Seeds.random();
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private final CrashableDirectory directory = new CrashableDirectory();
    private final List<Long> added = new ArrayList<>();

    /** The files of the last snapshot, by name. */
    private Map<String, byte[]> stored = Map.of();

    private byte[] manifest;
    private long storedBytes;
    private int mostFiles;

    private void runAll() {
        while (!waiting.isEmpty()) {
            waiting.poll().run();
        }
    }

    private CascadeOptions options() {
        return options(1);
    }

    private CascadeOptions options(int keyGroups) {
        return CascadeOptions.builder()
                .keyGroups(0, keyGroups)
                .capacity(SNAPSHOTS * HASHES_OF_A_SNAPSHOT)
                .falsePositiveProbability(1e-6)
                .bufferBytes(1 << 17)
                .overviewBitsPerKey(0)
                .resources(CascadeResources.of(new PageCache(1 << 20), waiting::add))
                .build();
    }

    private void add(CascadeFilter filter, int hashes) {
        for (int i = 0; i < hashes; i++) {
            long hash = random.nextLong();
            filter.insert(0, hash);
            added.add(hash);
        }
    }

    private void store(CascadeFilter filter, boolean reuses) throws IOException {
        Map<String, byte[]> before = stored;
        Map<String, byte[]> files = new HashMap<>();
        try (CascadeSnapshot snapshot = filter.snapshot()) {
            snapshot.prepare();
            if (reuses) {
                snapshot.reuse(before::containsKey);
            }
            for (CascadeSnapshot.File file : snapshot.files()) {
                byte[] bytes = before.get(file.name());
                if (bytes == null) {
                    try (InputStream in = file.open()) {
                        bytes = in.readAllBytes();
                    }
                    storedBytes += bytes.length;
                }
                files.put(file.name(), bytes);
            }
            manifest = snapshot.manifest();
        }
        stored = files;
        mostFiles = Math.max(mostFiles, files.size());
    }

    private CascadeFilter restore() throws IOException {
        CrashableDirectory copy = new CrashableDirectory();
        stored.forEach(copy::put);
        return CascadeFilter.restore(copy, options(), List.of(manifest));
    }

    private void assertRestoresAll() throws IOException {
        try (CascadeFilter filter = restore()) {
            runAll();
            assertThat(added).allMatch(hash -> filter.mightContain(0, hash));
            assertThat(filter.statistics().entries()).isEqualTo(added.size());
        }
    }

    /** Stores a growing filter again and again; returns how often an entry was stored. */
    private double timesStored(boolean reuses) throws IOException {
        return timesStored(HASHES_OF_A_SNAPSHOT, reuses);
    }

    /** As {@link #timesStored(boolean)}, with another number of hashes between two snapshots. */
    private double timesStored(int ofASnapshot, boolean reuses) throws IOException {
        try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
            for (int i = 0; i < SNAPSHOTS * HASHES_OF_A_SNAPSHOT / ofASnapshot; i++) {
                for (int j = 0; j < ofASnapshot; j += 1_000) {
                    add(filter, 1_000);
                    runAll();
                }
                store(filter, reuses);
                runAll();
            }
            long held = filter.statistics().diskBytes();
            return (double) storedBytes / held;
        }
    }

    /** Whether or not several buffers are flushed and merged between two snapshots. */
    @ParameterizedTest
    @CsvSource({"30000, 3", "50000, 3", "100000, 2", "500000, 1.5"})
    void anEntryIsNotStoredMoreOftenWithMoreOfThemBetweenSnapshots(int ofASnapshot, double most)
            throws IOException {
        assertThat(timesStored(ofASnapshot, true)).isLessThan(most);
        assertRestoresAll();
    }

    @Test
    void anEntryIsStoredAboutTwiceHoweverOftenItIsMerged() throws IOException {
        assertThat(timesStored(true)).isBetween(1.5, 3.0);
        assertThat(mostFiles).isLessThanOrEqualTo(MergedFrom.MOST_SMALL_FILES);
        assertRestoresAll();
    }

    @Test
    void withoutReuseItIsStoredWheneverItIsMerged() throws IOException {
        assertThat(timesStored(false)).isGreaterThan(4);
    }

    @Test
    void filesOfWhichMuchWasRemovedDoNotStandIn() throws IOException {
        try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
            add(filter, 2_000);
            store(filter, true);
            String[] first = stored.keySet().toArray(String[]::new);
            for (long hash : added.subList(100, 2_000)) {
                filter.remove(0, hash);
            }
            // Until merges have dropped the tombstones.
            for (int i = 0; i < 1_000 && filter.statistics().tombstones() > 0; i++) {
                add(filter, 200);
                runAll();
            }
            assertThat(filter.statistics().tombstones()).isZero();
            store(filter, true);
            assertThat(stored).doesNotContainKeys(first);
        }
    }

    /** The next checkpoint of a restored filter reuses what that was restored from. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatWasRestoredStandsInForWhatWasMergedSince(boolean mergesFirst) throws IOException {
        timesStored(true);
        try (CascadeFilter filter = restore()) {
            int before = filter.statistics().files();
            assertThat(before).isGreaterThan(10);
            if (mergesFirst) {
                runAll();
                filter.mightContain(0, 0);
                assertThat(filter.statistics().files()).isLessThan(10);
            }
            storedBytes = 0;
            store(filter, true);
            assertThat(storedBytes).isZero();
            assertThat(stored).hasSize(before);
        }
    }

    /** Otherwise every subtask would download whole files whenever it is restored. */
    @Test
    void filesOfWhichOnlyASectionIsHeldDoNotStandIn() throws IOException {
        try (CascadeFilter filter = CascadeFilter.open(directory, options(2))) {
            for (int i = 0; i < 20; i++) {
                for (int j = 0; j < 2_000; j++) {
                    filter.insert(j % 2, random.nextLong());
                }
                store(filter, true);
            }
        }
        waiting.clear();
        assertThat(stored.size()).isGreaterThan(15);
        try (CascadeFilter filter = restore()) {
            runAll();
            filter.mightContain(0, 0);
            assertThat(filter.statistics().files()).isLessThan(10);
            store(filter, true);
            assertThat(stored.values().stream().mapToLong(bytes -> bytes.length).sum())
                    .isEqualTo(filter.statistics().diskBytes());
        }
    }

    /** A restore brings more files than merges would leave; that is not a reason to wait. */
    @Test
    void aRestoredFilterIsNotDelayedUntilItsFilesAreMerged() throws IOException {
        timesStored(true);
        waiting.clear();
        try (CascadeFilter filter = restore()) {
            assertThat(filter.statistics().files()).isGreaterThan(20);
            add(filter, 2_000);
            assertThat(filter.statistics().stalls()).isZero();
            runAll();
        }
    }

    /** A snapshot adds no files that merges would have to catch up with. */
    @Test
    void namingFilesIsNotAReasonToWait() {
        List<FileSection> files = files(11, 4_096);
        files.subList(0, 5).forEach(file -> file.stored().setNamed(false));
        MergeSchedule schedule = new MergeSchedule(options());
        Version version = new Version(List.of(), files);
        int before = schedule.excess(version);
        files.forEach(file -> file.stored().setNamed(true));
        assertThat(schedule.excess(version)).isEqualTo(before);
    }

    /** What a snapshot has named need not wait for the next buffer to be merged. */
    @Test
    void namingFilesBeginsMerges() throws IOException {
        try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
            int begun = 0;
            for (int i = 0; i < 50; i++) {
                add(filter, 1_000);
                try (CascadeSnapshot snapshot = filter.snapshot()) {
                    snapshot.prepare();
                    runAll();
                    snapshot.reuse(name -> false);
                    begun += waiting.size();
                    runAll();
                }
            }
            assertThat(begun).isPositive();
        }
    }

    /** Opening a large file costs a restore less than reading it. */
    @ParameterizedTest
    @CsvSource({
        "64, 4096, true",
        "65, 4096, false",
        "65, 8388608, true",
        "256, 8388608, true",
        "257, 1073741824, false"
    })
    void moreLargeFilesThanSmallOnesStandIn(int count, long bytes, boolean standIn) {
        Merge merge = new Merge(files(count, bytes), false);
        assertThat(MergedFrom.inputsOf(merge)).hasSize(standIn ? count : 0);
    }

    private static List<FileSection> files(int count, long bytes) {
        List<FileSection> files = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            LevelFileInfo info = new LevelFileInfo("level-" + i, bytes, 100, 0, 1, 100, 40, 1, i);
            files.add(new FileSection(new StoredFile(info, null, null), new KeyGroups(0, 1), 1));
        }
        return files;
    }

    /** Removed entries take no room for long, whether or not another snapshot ever comes. */
    @Test
    void whatIsAddedAndRemovedAfterTheLastSnapshotIsForgotten() throws IOException {
        try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
            add(filter, 1);
            store(filter, true);
            int removed = 1;
            for (int i = 0; i < 500; i++) {
                add(filter, 1_000);
                for (; removed < added.size() - 20_000; removed++) {
                    filter.remove(0, added.get(removed));
                }
                runAll();
            }
            assertThat(filter.statistics().entries()).isLessThan(200_000);
        }
    }

    /** A bucket whose time has passed becomes one file, but not twice. */
    @Test
    void aClosedBucketIsRewrittenOnce() throws IOException {
        CascadeOptions options =
                CascadeOptions.builder()
                        .keyGroups(0, 1)
                        .capacity(1_000_000)
                        .bufferBytes(1 << 17)
                        .overviewBitsPerKey(0)
                        .timeToLive(Duration.ofSeconds(1), 2)
                        .resources(CascadeResources.of(new PageCache(1 << 20), waiting::add))
                        .build();
        try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
            filter.advanceTo(0);
            for (int i = 0; i < 3; i++) {
                add(filter, 15_000);
                runAll();
                store(filter, true);
                runAll();
            }
            long before = filter.statistics().mergedEntries();
            add(filter, 5_000);
            filter.advanceTo(600);
            add(filter, 10);
            runAll();
            store(filter, true);
            runAll();
            assertThat(filter.statistics().mergedEntries() - before).isLessThan(60_000);
        }
    }
}
