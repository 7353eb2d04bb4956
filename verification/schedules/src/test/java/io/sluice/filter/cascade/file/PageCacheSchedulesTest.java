/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.storage.CrashableDirectory;
import io.sluice.schedules.Schedules;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Files of several owners whose pages push each other out of one cache. */
class PageCacheSchedulesTest {

    private static final int PAGE_BYTES = 4096;

    private static final int ENTRIES = 5;

    private final CrashableDirectory directory = new CrashableDirectory();

    /** A file whose entries no other one has. */
    private LevelFileInfo write(int number) throws IOException {
        String name = number + ".level";
        LevelFileOptions options = new LevelFileOptions(Entries.MAX_HASH_BITS, 0, null);
        try (LevelFileWriter writer = LevelFileWriter.create(directory, name, options)) {
            long[] entries = new long[ENTRIES];
            for (int i = 0; i < ENTRIES; i++) {
                entries[i] = entry(number, i);
            }
            writer.add(entries, 0, ENTRIES);
            return writer.finish(false);
        }
    }

    private static long entry(int file, int i) {
        return Entries.of(0, (1000L * i + file + 1) << (Long.SIZE - 20));
    }

    private static void ask(LevelFile file, int number) throws IOException {
        for (int i = 0; i < ENTRIES; i++) {
            assertThat(file.find(entry(number, i))).isEqualTo(LevelFile.PRESENT);
            assertThat(file.find(entry(number + 10, i))).isEqualTo(LevelFile.ABSENT);
        }
    }

    @Test
    void aPageIsNeverTakenForAnother() throws IOException {
        List<LevelFileInfo> written = new ArrayList<>();
        for (int number = 0; number < 4; number++) {
            written.add(write(number));
        }
        for (int frames = 1; frames <= 3; frames++) {
            long bytes = (long) frames * PAGE_BYTES;
            Schedules.explore(
                    "pages-" + frames,
                    () -> {
                        PageCache cache = new PageCache(bytes);
                        Schedules.together(
                                () -> askTwice(written, cache, 0, 1),
                                () -> askTwice(written, cache, 2, 3));
                        assertThat(cache.budgetBytes()).isEqualTo(bytes);
                        assertThatAllFramesAreFree(cache, (int) (bytes / PAGE_BYTES));
                    });
        }
    }

    private void askTwice(List<LevelFileInfo> written, PageCache cache, int first, int second)
            throws IOException {
        try (LevelFile one = LevelFile.open(directory, written.get(first), cache);
                LevelFile two = LevelFile.open(directory, written.get(second), cache)) {
            for (int round = 0; round < 2; round++) {
                ask(one, first);
                ask(two, second);
            }
        }
    }

    /** No closed file holds one, and none is lost. */
    private static void assertThatAllFramesAreFree(PageCache cache, int frames) {
        for (int i = 0; i < frames; i++) {
            assertThat(cache.claim()).isNotEqualTo(PageCache.NONE);
        }
        assertThat(cache.claim()).isEqualTo(PageCache.NONE);
    }
}
