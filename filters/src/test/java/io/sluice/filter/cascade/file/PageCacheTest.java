/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import io.sluice.filter.storage.CrashableDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lookups through caches that are too small, shared, or both; single and in batches. */
class PageCacheTest {

    private static final int HASH_BITS = 24;
    private static final LevelFileOptions OPTIONS = LevelFileOptions.ofHashBits(HASH_BITS);
    private static final int PAGE = 4096;

    private final CrashableDirectory directory = new CrashableDirectory();
    private final SplittableRandom random = Seeds.random();

    private long[] entries(SplittableRandom from) {
        long[] entries = RandomEntries.even(from, 200_000, HASH_BITS, 0, 64);
        return RandomEntries.withTombstones(from, entries, 0.1);
    }

    /** A key that is there or, half of the time, any key. */
    private static long question(SplittableRandom random, long[] entries) {
        return random.nextBoolean()
                ? entries[random.nextInt(entries.length)]
                : RandomEntries.entry(random, HASH_BITS, random.nextInt(70));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 50, 1_000})
    void answersAreRightWhateverFits(int frames) throws IOException {
        long[] entries = entries(random);
        LevelFileInfo info = LevelFiles.write(directory, "a", entries, OPTIONS);
        PageCache cache = new PageCache((long) frames * PAGE + PAGE - 1);
        assertThat(cache.budgetBytes()).isEqualTo((long) frames * PAGE);
        try (LevelFile file = LevelFile.open(directory, info, cache);
                PageReaders readers = new PageReaders(4)) {
            for (int i = 0; i < 10_000; i++) {
                long asked = question(random, entries);
                int expected = LevelFiles.answer(entries, asked, HASH_BITS);
                assertThat(file.find(asked)).isEqualTo(expected);
            }
            assertThat(file.pageHits() + file.pageReads()).isEqualTo(10_000);
            for (int round = 0; round < 10; round++) {
                checkBatch(file, entries, 1 + random.nextInt(5_000), readers);
            }
        }
        assertThat(cache.sizeInBytes()).isLessThanOrEqualTo(frames * (PAGE + 16L));
    }

    private void checkBatch(LevelFile file, long[] entries, int size, PageReaders readers)
            throws IOException {
        long[] asked = new long[size + 10];
        for (int i = 0; i < asked.length; i++) {
            asked[i] = question(random, entries);
        }
        Arrays.sort(asked);
        byte[] results = new byte[asked.length];
        Arrays.fill(results, (byte) 9);
        file.findAll(asked, 5, size + 5, results, readers);
        for (int i = 0; i < asked.length; i++) {
            boolean inside = i >= 5 && i < size + 5;
            int expected = inside ? LevelFiles.answer(entries, asked[i], HASH_BITS) : 9;
            assertThat((int) results[i]).as("%d of %d", i, size).isEqualTo(expected);
        }
    }

    @Test
    void aSecondLookupReadsNothing() throws IOException {
        long[] entries = entries(random);
        LevelFileInfo info = LevelFiles.write(directory, "a", entries, OPTIONS);
        PageCache cache = new PageCache(10 << 20);
        try (LevelFile file = LevelFile.open(directory, info, cache);
                PageReaders readers = new PageReaders(2)) {
            file.find(entries[7]);
            file.find(entries[8]);
            assertThat(file.pageReads()).isEqualTo(1);
            assertThat(file.pageHits()).isEqualTo(1);
            byte[] results = new byte[entries.length];
            file.findAll(entries, 0, entries.length, results, readers);
            long pages = info.sizeBytes() / PAGE - 2;
            assertThat(file.pageReads()).isEqualTo(pages);
            file.findAll(entries, 0, entries.length, results, readers);
            assertThat(file.pageReads()).isEqualTo(pages);
        }
    }

    @Test
    void pagesThatAreAskedStay() throws IOException {
        long[] entries = entries(random);
        LevelFileInfo info = LevelFiles.write(directory, "a", entries, OPTIONS);
        try (LevelFile file = LevelFile.open(directory, info, new PageCache(20 * PAGE))) {
            for (int i = 0; i < entries.length; i += 200) {
                file.find(entries[i]);
                file.find(entries[100_000]);
            }
            long reads = file.pageReads();
            file.find(entries[100_000]);
            assertThat(file.pageReads()).isEqualTo(reads);
        }
    }

    @Test
    void aClosedFileLeavesItsRoomToOthers() throws IOException {
        long[] entries = entries(random);
        LevelFileInfo info = LevelFiles.write(directory, "a", entries, OPTIONS);
        PageCache cache = new PageCache(200 * PAGE);
        for (int i = 0; i < 20; i++) {
            LevelFile file = LevelFile.open(directory, info, cache);
            for (int k = 0; k < entries.length; k += 2_000) {
                file.find(entries[k]);
            }
            assertThat(file.pageHits() + file.pageReads()).isEqualTo(100);
            file.close();
            file.close();
        }
    }

    /** Threads with files of their own take frames from each other while they read. */
    @Test
    @Tag("thorough")
    void threadsShareATinyCache() throws Exception {
        PageCache cache = new PageCache(24 * PAGE);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try (PageReaders readers = new PageReaders(4)) {
            List<Future<Integer>> running = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                SplittableRandom own = random.split();
                long[] entries = entries(own);
                LevelFileInfo info = LevelFiles.write(directory, "file-" + t, entries, OPTIONS);
                Callable<Integer> task = () -> lookUp(entries, info, cache, own, readers);
                running.add(threads.submit(task));
            }
            for (Future<Integer> one : running) {
                assertThat(one.get()).isZero();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Returns how many answers were wrong. */
    private int lookUp(
            long[] entries,
            LevelFileInfo info,
            PageCache cache,
            SplittableRandom own,
            PageReaders readers)
            throws IOException {
        int wrong = 0;
        try (LevelFile file = LevelFile.open(directory, info, cache)) {
            for (int i = 0; i < 30_000; i++) {
                // Close together, so that there are hits even in a small cache.
                int at = own.nextInt(20_000);
                long asked = own.nextInt(4) > 0 ? entries[at] : entries[at] + 64;
                int answer = file.find(asked);
                wrong += answer == LevelFiles.answer(entries, asked, HASH_BITS) ? 0 : 1;
                if (i % 1_000 == 0) {
                    byte[] results = new byte[entries.length];
                    file.findAll(entries, 0, entries.length, results, readers);
                    for (int k = 0; k < results.length; k++) {
                        boolean removed = results[k] == LevelFile.TOMBSTONE;
                        boolean right = results[k] == LevelFile.PRESENT || removed;
                        wrong += right && removed == Entries.isTombstone(entries[k]) ? 0 : 1;
                    }
                }
            }
            assertThat(file.pageHits()).isPositive();
        }
        return wrong;
    }

    @Test
    void impossibleBudgetsAreRefused() {
        assertThatThrownBy(() -> new PageCache(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1");
        assertThatThrownBy(() -> new PageCache(Long.MAX_VALUE))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
