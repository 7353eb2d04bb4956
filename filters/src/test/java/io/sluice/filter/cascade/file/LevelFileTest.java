/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import io.sluice.filter.storage.CrashableDirectory;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes into a level file comes out of it, for any keys. */
class LevelFileTest {

    private static final String NAME = "level-1";

    private final CrashableDirectory directory = new CrashableDirectory();
    private final PageCache cache = new PageCache(1 << 20);
    private final SplittableRandom random = Seeds.random();

    private LevelFileInfo write(long[] entries, LevelFileOptions options) throws IOException {
        return write(entries, options, NAME);
    }

    private LevelFileInfo write(long[] entries, LevelFileOptions options, String name)
            throws IOException {
        try (LevelFileWriter writer = LevelFileWriter.create(directory, name, options)) {
            for (int from = 0; from < entries.length; ) {
                int to = Math.min(entries.length, from + 1 + random.nextInt(5_000));
                writer.add(entries, from, to);
                from = to;
            }
            return writer.finish(true);
        }
    }

    /** Writes, reads back in every way, and compares with the array. */
    private void check(long[] entries, int hashBits) throws IOException {
        String name = "level-" + directory.list().size();
        LevelFileInfo info = write(entries, LevelFileOptions.ofHashBits(hashBits), name);
        assertThat(info.entries()).isEqualTo(entries.length);
        assertThat(info.tombstones())
                .isEqualTo(Arrays.stream(entries).filter(Entries::isTombstone).count());
        assertThat(info.sizeBytes()).isEqualTo(directory.length(name));
        assertThat(LevelFile.readInfo(directory, name)).isEqualTo(info);
        try (LevelFile file = LevelFile.open(directory, info, cache)) {
            assertThat(LevelFiles.readAll(file.cursor(), 20_000)).isEqualTo(entries);
            assertThat(LevelFiles.readAll(file.cursor(), 100)).isEqualTo(entries);
            for (int i = 0; i < 1_000 && entries.length > 0; i++) {
                checkFind(file, entries, entries[random.nextInt(entries.length)], hashBits);
                long neighbour = entries[random.nextInt(entries.length)];
                neighbour += random.nextInt(-3, 4) * (2L << Entries.droppedBits(hashBits));
                checkFind(file, entries, Math.max(0, neighbour), hashBits);
                checkFind(file, entries, random.nextLong() >>> 1, hashBits);
            }
            checkFind(file, entries, 0, hashBits);
            checkFind(file, entries, Long.MAX_VALUE, hashBits);
            file.verify();
        }
    }

    private static void checkFind(LevelFile file, long[] entries, long asked, int hashBits)
            throws IOException {
        int expected = LevelFiles.answer(entries, asked, hashBits);
        // Reading ahead, on any page, cached or not, changes no answer.
        file.touch(file.pageOf(asked), asked);
        assertThat(file.find(asked)).as("%x", asked).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 13, 20, 31, 32, 40, 46, 47})
    void evenEntriesOfAnyLength(int hashBits) throws IOException {
        check(RandomEntries.even(random, 20_000, hashBits, 0, 128), hashBits);
        check(RandomEntries.even(random, 20_000, hashBits, 32_700, 68), hashBits);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 24, 47})
    void skewedKeyGroups(int hashBits) throws IOException {
        check(RandomEntries.skewed(random, 50_000, hashBits, 32), hashBits);
        check(RandomEntries.skewed(random, 5_000, hashBits, Entries.MAX_KEY_GROUPS), hashBits);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.001, 0.3, 1})
    void tombstones(double probability) throws IOException {
        for (int hashBits : new int[] {3, 22, 47}) {
            long[] entries = RandomEntries.even(random, 20_000, hashBits, 5, 64);
            check(RandomEntries.withTombstones(random, entries, probability), hashBits);
        }
    }

    @Test
    void denseEntries() throws IOException {
        check(RandomEntries.dense(40_000, 8), 8);
        check(RandomEntries.dense(40_000, 1), 1);
        check(RandomEntries.withTombstones(random, RandomEntries.dense(40_000, 8), 0.5), 8);
    }

    /** While all frames of a small cache are claimed, no page of a new file gets one. */
    @Test
    void aFileThatFoundNoRoomInTheCacheIsReadLikeAnyOther() throws IOException {
        PageCache full = new PageCache(0);
        long[] entries = RandomEntries.even(random, 400_000, 40, 0, 1);
        LevelFileOptions options = LevelFileOptions.ofHashBits(40).warming(full);
        try (LevelFileWriter writer = LevelFileWriter.create(directory, "cold", options)) {
            writer.add(entries, 0, entries.length);
            writer.finish(true);
            try (LevelFile file = writer.open(full)) {
                for (int i = 0; i < entries.length; i += 100) {
                    checkFind(file, entries, entries[i], 40);
                }
            }
        }
    }

    /** A wide gap makes most of a page's entries share a bucket. */
    @Test
    void clustersThatAreFarApart() throws IOException {
        long[] entries = new long[30_000];
        for (int i = 0; i < entries.length; i++) {
            entries[i] = Entries.of(i / 700 * 30, ((long) i * 3) << 20) & Entries.mask(47);
        }
        check(RandomEntries.ascending(entries), 47);
    }

    @Test
    void fewEntries() throws IOException {
        check(new long[0], 20);
        check(new long[] {0}, 47);
        check(new long[] {Entries.mask(47) & Long.MAX_VALUE}, 47);
        check(new long[] {0, Entries.mask(1) & Long.MAX_VALUE}, 1);
        check(new long[] {1, Long.MAX_VALUE}, 47);
    }

    @Test
    void entriesOfNeighbouringKeysWithAndWithoutTombstones() throws IOException {
        for (int i = 0; i < 100; i++) {
            int hashBits = 1 + random.nextInt(47);
            int keyGroups = 1 + random.nextInt(40);
            long[] entries =
                    RandomEntries.even(random, 1 + random.nextInt(300), hashBits, 9, keyGroups);
            check(RandomEntries.withTombstones(random, entries, random.nextDouble()), hashBits);
        }
    }

    @Test
    void aMillionEntries() throws IOException {
        check(RandomEntries.even(random, 1_000_000, 30, 100, 64), 30);
    }

    /** The bound is log2 of 1 / (entries of a key group / 2^p), the false positives of a file. */
    @ParameterizedTest
    @ValueSource(ints = {21, 24, 27, 30, 34, 40, 47})
    void anEntryTakesLittleMoreThanTheInformationBound(int hashBits) throws IOException {
        int keyGroups = 4;
        for (int count : new int[] {1 << 18, 3 << 17, 1 << 19}) {
            long[] entries = RandomEntries.even(random, count, hashBits, 0, keyGroups);
            LevelFileOptions options = LevelFileOptions.ofHashBits(hashBits);
            LevelFileInfo info = LevelFiles.write(directory, NAME, entries, options);
            directory.delete(NAME);
            double logCount = Math.log((double) entries.length / keyGroups) / Math.log(2);
            assertThat(8.0 * info.sizeBytes() / entries.length - (hashBits - logCount))
                    .as("%d hash bits, %d entries", hashBits, count)
                    .isBetween(1.9, 3.0);
        }
    }

    @Test
    void aRangeOfKeyGroupsIsRead() throws IOException {
        long[] entries = RandomEntries.even(random, 100_000, 25, 10, 50);
        LevelFileInfo info = write(entries, LevelFileOptions.ofHashBits(25));
        try (LevelFile file = LevelFile.open(directory, info, cache)) {
            for (int i = 0; i < 100; i++) {
                int first = random.nextInt(70);
                int end = first + random.nextInt(70 - first + 1);
                long[] expected =
                        Arrays.stream(entries)
                                .filter(e -> Entries.keyGroup(e) >= first)
                                .filter(e -> Entries.keyGroup(e) < end)
                                .toArray();
                int batch = random.nextBoolean() ? 30_000 : 1_000;
                assertThat(LevelFiles.readAll(file.cursor(first, end), batch))
                        .as("%d to %d", first, end)
                        .isEqualTo(expected);
            }
            assertThat(LevelFiles.readAll(file.cursor(0, Entries.MAX_KEY_GROUPS), 999))
                    .isEqualTo(entries);
            assertThatThrownBy(() -> file.cursor(3, 2))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("3 to 2");
            assertThatThrownBy(() -> file.cursor(0, Entries.MAX_KEY_GROUPS + 1))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aFileThatWasJustWrittenOpensWithoutReading() throws IOException {
        long[] entries = RandomEntries.even(random, 50_000, 25, 10, 50);
        LevelFileOptions options = LevelFileOptions.ofHashBits(25).withSummary(8).warming(cache);
        try (LevelFileWriter writer = LevelFileWriter.create(directory, NAME, options)) {
            writer.add(entries, 0, entries.length);
            writer.finish(false);
            try (LevelFile file = writer.open(cache)) {
                for (int i = 0; i < 10_000; i++) {
                    checkFind(file, entries, entries[random.nextInt(entries.length)], 25);
                    assertThat(file.mightFind(entries[random.nextInt(entries.length)])).isTrue();
                }
                assertThat(file.pageReads()).isZero();
                assertThat(file.pageHits()).isEqualTo(10_000);
            }
        }
    }

    @Test
    void entriesThatDoNotAscendAreRefused() throws IOException {
        LevelFileOptions options = LevelFileOptions.ofHashBits(20);
        long unit = 2L << 27;
        long[][] wrong = {{unit, unit}, {2 * unit, unit}, {unit, unit | 1}, {unit / 2}, {-unit}};
        for (long[] entries : wrong) {
            try (LevelFileWriter writer = LevelFileWriter.create(directory, NAME, options)) {
                assertThatThrownBy(() -> writer.add(entries, 0, entries.length))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("entries must ascend");
            }
        }
        try (LevelFileWriter writer = LevelFileWriter.create(directory, NAME, options)) {
            writer.add(new long[] {unit}, 0, 1);
            assertThatThrownBy(() -> writer.add(new long[] {unit}, 0, 1))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(directory.list()).isEmpty();
    }

    @Test
    void anUnfinishedFileIsDeleted() throws IOException {
        LevelFileWriter writer =
                LevelFileWriter.create(directory, NAME, LevelFileOptions.ofHashBits(20));
        assertThat(directory.list()).containsExactly(NAME);
        writer.close();
        writer.close();
        assertThat(directory.list()).isEmpty();
        assertThatThrownBy(() -> writer.finish(false)).isInstanceOf(IllegalStateException.class);
        write(new long[0], LevelFileOptions.ofHashBits(20));
        assertThatThrownBy(() -> write(new long[0], LevelFileOptions.ofHashBits(20)))
                .isInstanceOf(FileAlreadyExistsException.class);
    }
}
