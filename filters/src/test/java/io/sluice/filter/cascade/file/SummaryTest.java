/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import io.sluice.filter.storage.CrashableDirectory;
import java.io.IOException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SummaryTest {

    private static final int KEYS = 400_000;

    private final CrashableDirectory directory = new CrashableDirectory();
    private final SplittableRandom random = Seeds.random();
    private final PageCache cache = new PageCache(0);

    private LevelFile file(long[] entries, int hashBits, int bitsPerKey) throws IOException {
        LevelFileOptions options = LevelFileOptions.ofHashBits(hashBits).withSummary(bitsPerKey);
        return LevelFiles.writeAndOpen(directory, "a", entries, options, cache);
    }

    /** The bounds: what was measured in many runs, and 5 standard deviations. */
    @ParameterizedTest
    @CsvSource({"47, 8, 0.030", "30, 8, 0.030", "24, 8, 0.030", "30, 4, 0.245", "30, 16, 0.0022"})
    void mostAbsentKeysAreKnownToBeAbsent(int hashBits, int bitsPerKey, double most)
            throws IOException {
        long[] entries = RandomEntries.even(random, KEYS, hashBits, 7, 128);
        try (LevelFile file = file(entries, hashBits, bitsPerKey)) {
            assertThat(8.0 * file.summary().sizeInBytes() / entries.length)
                    .isBetween(0.95 * bitsPerKey, 1.05 * bitsPerKey + 0.1);
            assertSummary(file, entries, hashBits, most);
        }
    }

    @Test
    void skewedKeysHaveAsManyBits() throws IOException {
        long[] entries = RandomEntries.skewed(random, KEYS, 30, 32_000);
        try (LevelFile file = file(entries, 30, 8)) {
            assertSummary(file, entries, 30, 0.033);
        }
    }

    private void assertSummary(LevelFile file, long[] entries, int hashBits, double most)
            throws IOException {
        for (long entry : entries) {
            assertThat(file.mightFind(entry)).isTrue();
        }
        int wrong = 0;
        int asked = 0;
        while (asked < 100_000) {
            // In a key group that is there.
            int keyGroup = Entries.keyGroup(entries[random.nextInt(entries.length)]);
            long entry = RandomEntries.entry(random, hashBits, keyGroup);
            if (LevelFiles.answer(entries, entry, hashBits) == LevelFile.ABSENT) {
                asked++;
                wrong += file.mightFind(entry) ? 1 : 0;
            }
        }
        double sigma = Math.sqrt(most / asked);
        assertThat((double) wrong / asked).isLessThan(most + 5 * sigma);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100_000})
    void manyEntriesAreMarkedAsEachIsAnsweredAlone(int keys) throws IOException {
        long[] entries = RandomEntries.even(random, keys, 30, 7, 10);
        for (int bitsPerKey : new int[] {0, 8}) {
            try (LevelFile file = file(entries, 30, bitsPerKey)) {
                long[] asked = new long[1_000];
                long[] candidates = new long[asked.length];
                for (int i = 0; i < asked.length; i++) {
                    // Before, between and after those of the file.
                    asked[i] = RandomEntries.entry(random, 47, 5 + random.nextInt(14));
                    if (keys > 0 && random.nextBoolean()) {
                        asked[i] = entries[random.nextInt(entries.length)];
                    }
                    candidates[i] = random.nextLong() & ~4L;
                }
                long[] before = candidates.clone();
                file.markCandidates(asked, 999, 4, candidates);
                for (int i = 0; i < 999; i++) {
                    long expected = before[i] | (file.mightFind(asked[i]) ? 4 : 0);
                    assertThat(candidates[i]).isEqualTo(expected);
                }
                assertThat(candidates[999]).isEqualTo(before[999]);
            }
            directory.delete("a");
        }
    }

    @Test
    void tombstonesAreInTheSummaryToo() throws IOException {
        long[] entries = RandomEntries.even(random, 10_000, 20, 7, 10);
        RandomEntries.withTombstones(random, entries, 0.5);
        try (LevelFile file = file(entries, 20, 8)) {
            for (long entry : entries) {
                assertThat(file.mightFind(entry)).isTrue();
                assertThat(file.mightFind(entry | Entries.TOMBSTONE)).isTrue();
            }
        }
    }

    @Test
    void aScanBuildsTheSameSummary() throws IOException {
        long[] entries = RandomEntries.even(random, 100_000, 30, 7, 10);
        LevelFile written = file(entries, 30, 8);
        try (written;
                LevelFile opened = LevelFile.open(directory, written.info(), cache)) {
            assertThat(opened.summary()).isNull();
            assertThat(opened.mightFind(entries[0] + 2)).isTrue();
            Summary scanned = opened.scanSummary(8);
            opened.installSummary(scanned);
            assertThat(scanned.sizeInBytes()).isEqualTo(written.summary().sizeInBytes());
            for (int i = 0; i < 100_000; i++) {
                long entry = RandomEntries.entry(random, 30, 7 + random.nextInt(10));
                assertThat(opened.mightFind(entry)).isEqualTo(written.mightFind(entry));
            }
            for (long entry : entries) {
                assertThat(opened.mightFind(entry)).isTrue();
            }
        }
    }

    @Test
    void theSummaryOfAnotherFileIsRefused() throws IOException {
        long[] entries = RandomEntries.even(random, 10_000, 30, 7, 10);
        try (LevelFile one = file(entries, 30, 8);
                LevelFile other =
                        LevelFiles.writeAndOpen(
                                directory,
                                "b",
                                new long[] {2L << 17},
                                LevelFileOptions.ofHashBits(30),
                                cache)) {
            assertThatThrownBy(() -> other.installSummary(one.summary()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("another file");
            assertThatThrownBy(() -> LevelFileOptions.ofHashBits(30).withSummary(33))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("33");
        }
    }
}
