/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.sluice.filter.Seeds;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.GoldenFile;
import io.sluice.filter.format.UnsupportedFormatException;
import io.sluice.filter.storage.CrashableDirectory;
import io.sluice.filter.storage.FaultyDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The persistent form: golden files, which must be readable for ever, and damage. */
class LevelFileFormatTest {

    private static final int PAGE = PageLayout.BYTES;

    private final CrashableDirectory directory = new CrashableDirectory();
    private final PageCache cache = new PageCache(100 * PAGE);
    private final SplittableRandom random = Seeds.random();

    private static byte[] golden(String name) {
        return GoldenFile.read(GoldenFiles.stored(name));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                GoldenFiles.EVEN,
                GoldenFiles.TOMBSTONES,
                GoldenFiles.EMPTY,
                GoldenFiles.INDEX_PAGES
            })
    void readsTheGoldenFiles(String name) throws IOException {
        GoldenFile.assertStillWritten(GoldenFiles.stored(name), GoldenFiles.write(name));
        byte[] bytes = golden(name);
        long[] entries = GoldenFiles.entries(name);
        directory.put(name, bytes);
        LevelFileInfo info = LevelFile.readInfo(directory, name);
        assertThat(info.entries()).isEqualTo(entries.length);
        assertThat(info.hashBits()).isEqualTo(GoldenFiles.hashBits(name));
        try (LevelFile file = LevelFile.open(directory, info, cache)) {
            file.verify();
            assertThat(LevelFiles.readAll(file.cursor(), 1_000)).isEqualTo(entries);
            for (long entry : entries) {
                int expected = Entries.isTombstone(entry) ? LevelFile.TOMBSTONE : LevelFile.PRESENT;
                assertThat(file.find(entry)).isEqualTo(expected);
            }
        }
    }

    @Test
    void theGoldenFileOfSeveralIndexPagesHasTwo() throws IOException {
        int pages = golden(GoldenFiles.INDEX_PAGES).length / PAGE;
        assertThat(pages).isBetween(LevelFileFormat.INDEX_LENGTH + 1 + 2 + 1, 530);
    }

    /**
     * Every flipped byte is noticed by each operation that needs it, and always by {@code verify}.
     */
    @Tag("thorough")
    @ParameterizedTest
    @ValueSource(strings = {GoldenFiles.EVEN, GoldenFiles.TOMBSTONES, GoldenFiles.EMPTY})
    void everyFlippedByteIsNamedOrDoesNoHarm(String name) throws IOException {
        byte[] bytes = golden(name);
        long[] entries = GoldenFiles.entries(name);
        directory.put(name, bytes);
        LevelFileInfo info = LevelFile.readInfo(directory, name);
        for (int i = 0; i < bytes.length; i++) {
            byte[] flipped = bytes.clone();
            flipped[i] ^= (byte) (i % 2 == 0 ? 0xff : 1 << i / 2 % 8);
            directory.put(name, flipped);
            try (LevelFile file = LevelFile.open(directory, info, cache)) {
                assertDamaged(file::verify, i);
                assertDamaged(() -> LevelFiles.readAll(file.cursor(), 5_000), i);
                for (int k = 0; k < 8; k++) {
                    long asked = entries[random.nextInt(entries.length)];
                    assertRightOrDamaged(file, entries, asked, i);
                }
            } catch (CorruptFilterException e) {
                assertNamed(e, i);
            }
        }
    }

    private interface Reading {
        void run() throws IOException;
    }

    private static void assertDamaged(Reading reading, int at) throws IOException {
        try {
            reading.run();
        } catch (CorruptFilterException e) {
            assertNamed(e, at);
            return;
        }
        fail("byte %d flipped: not noticed", at);
    }

    /** The file is named, and the page in which the damage is. */
    private static void assertNamed(CorruptFilterException e, int at) {
        assertThat(e.source()).startsWith("v1-");
        assertThat(e.offset() / PAGE).as(e.getMessage()).isEqualTo(at / PAGE);
    }

    private static void assertRightOrDamaged(LevelFile file, long[] entries, long asked, int at)
            throws IOException {
        int found;
        try {
            found = file.find(asked);
        } catch (CorruptFilterException e) {
            assertNamed(e, at);
            return;
        }
        assertThat(found).isEqualTo(LevelFiles.answer(entries, asked, file.info().hashBits()));
    }

    @ParameterizedTest
    @ValueSource(strings = {GoldenFiles.EVEN, GoldenFiles.EMPTY})
    void everyPrefixIsRefused(String name) throws IOException {
        byte[] bytes = golden(name);
        directory.put(name, bytes);
        LevelFileInfo info = LevelFile.readInfo(directory, name);
        for (int length = 0; length < bytes.length; length++) {
            directory.put(name, Arrays.copyOf(bytes, length));
            assertThatThrownBy(() -> LevelFile.open(directory, info, cache))
                    .isInstanceOf(CorruptFilterException.class)
                    .hasMessageContaining(name);
            assertThatThrownBy(() -> LevelFile.readInfo(directory, name))
                    .isInstanceOf(CorruptFilterException.class);
        }
    }

    @Test
    void aFileThatIsCutWhileItIsOpenIsNamed() throws IOException {
        long[] entries = RandomEntries.even(random, 100_000, 20, 0, 10);
        LevelFileInfo info =
                LevelFiles.write(directory, "a", entries, LevelFileOptions.ofHashBits(20));
        FaultyDirectory faulty = new FaultyDirectory(directory);
        try (LevelFile file = LevelFile.open(faulty, info, cache);
                PageReaders readers = new PageReaders(3)) {
            faulty.planFlip(0, 12_345);
            assertThatThrownBy(() -> file.find(entries[50_000]))
                    .isInstanceOf(CorruptFilterException.class)
                    .hasMessageContaining("a, offset")
                    .hasMessageContaining("checksum");
            faulty.planFlip(5, 12_345);
            byte[] results = new byte[entries.length];
            assertThatThrownBy(() -> file.findAll(entries, 0, entries.length, results, readers))
                    .isInstanceOf(CorruptFilterException.class);
            // Nothing of it stays in the cache.
            file.findAll(entries, 0, entries.length, results, readers);
            for (byte result : results) {
                assertThat((int) result).isEqualTo(LevelFile.PRESENT);
            }
        }
    }

    @Test
    void aPageInAnothersPlaceIsNoticed() throws IOException {
        byte[] bytes = golden(GoldenFiles.EVEN);
        long[] entries = GoldenFiles.entries(GoldenFiles.EVEN);
        directory.put(GoldenFiles.EVEN, bytes);
        LevelFileInfo info = LevelFile.readInfo(directory, GoldenFiles.EVEN);
        System.arraycopy(bytes, 0, bytes, PAGE, PAGE);
        directory.put(GoldenFiles.EVEN, bytes);
        try (LevelFile file = LevelFile.open(directory, info, cache)) {
            assertThat(file.find(entries[0])).isEqualTo(LevelFile.PRESENT);
            assertThatThrownBy(() -> file.find(entries[entries.length - 1]))
                    .isInstanceOf(CorruptFilterException.class)
                    .hasMessageContaining("checksum");
        }
        // The page of another file at the same place.
        LevelFileInfo other =
                LevelFiles.write(directory, "b", entries, LevelFileOptions.ofHashBits(20));
        byte[] otherBytes = directory.bytes("b");
        System.arraycopy(bytes, 0, otherBytes, 0, PAGE);
        directory.put("b", otherBytes);
        try (LevelFile file = LevelFile.open(directory, other, cache)) {
            assertThatThrownBy(() -> file.find(entries[0]))
                    .isInstanceOf(CorruptFilterException.class);
        }
    }

    @Test
    void anotherFileUnderTheSameNameIsRefused() throws IOException {
        LevelFileInfo info =
                LevelFiles.write(
                        directory, "a", new long[] {2L << 20}, LevelFileOptions.ofHashBits(30));
        directory.delete("a");
        LevelFiles.write(directory, "a", new long[] {4L << 20}, LevelFileOptions.ofHashBits(30));
        assertThatThrownBy(() -> LevelFile.open(directory, info, cache))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("not the expected file");
    }

    @Test
    void aRenamedFileIsTheSame() throws IOException {
        long[] entries = RandomEntries.even(random, 1_000, 20, 0, 10);
        LevelFileInfo info =
                LevelFiles.write(directory, "a", entries, LevelFileOptions.ofHashBits(20));
        directory.rename("a", "b");
        try (LevelFile file = LevelFile.open(directory, info.withName("b"), cache)) {
            assertThat(LevelFiles.readAll(file.cursor(), 100)).isEqualTo(entries);
        }
    }

    @Test
    void aNewerVersionAndAForeignHashAreNamed() throws IOException {
        byte[] newer = golden(GoldenFiles.EMPTY);
        newer[LevelFileFormat.VERSION_OFFSET] = 2;
        directory.put("newer", withFooterChecksum(newer));
        assertThatThrownBy(() -> LevelFile.readInfo(directory, "newer"))
                .isInstanceOfSatisfying(
                        UnsupportedFormatException.class,
                        e -> {
                            assertThat(e.found()).isEqualTo(2);
                            assertThat(e.supported()).isEqualTo(1);
                        });
        byte[] foreign = golden(GoldenFiles.EMPTY);
        foreign[LevelFileFormat.HASH_ID_OFFSET] = 99;
        directory.put("foreign", withFooterChecksum(foreign));
        assertThatThrownBy(() -> LevelFile.readInfo(directory, "foreign"))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessageContaining("hash algorithm 99");
    }

    private static byte[] withFooterChecksum(byte[] bytes) {
        ByteBuffer footer =
                ByteBuffer.wrap(bytes, bytes.length - PAGE, PAGE)
                        .slice()
                        .order(ByteOrder.LITTLE_ENDIAN);
        footer.putInt(0, Checksums.of(footer, PageLayout.CHECKED_OFFSET, PAGE));
        return bytes;
    }

    /** Bytes with correct checksums that no writer wrote do no harm either. */
    @ParameterizedTest
    @ValueSource(strings = {GoldenFiles.EVEN, GoldenFiles.TOMBSTONES})
    void anyBytesAreReadAsAPageOrRefused(String name) throws IOException {
        ByteBuffer page = TransferBuffers.allocate(2 * PAGE);
        byte[] golden = golden(name);
        int droppedBits = Entries.droppedBits(GoldenFiles.hashBits(name));
        int mask = PAGE - 1;
        int refused = 0;
        byte[] copy = new byte[PAGE];
        long[] into = new long[PageLayout.MAX_ENTRIES];
        for (int i = 0; i < 30_000; i++) {
            page.put(PAGE, golden, 0, PAGE);
            for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
                // Half of them in the header.
                int at = random.nextBoolean() ? random.nextInt(64) : random.nextInt() & mask;
                page.put(PAGE + at, (byte) random.nextInt());
            }
            page.putInt(PAGE, Checksums.of(page, PAGE + PageLayout.CHECKED_OFFSET, 2 * PAGE));
            try {
                PageDecoder.check(page, PAGE, 0, droppedBits, "any", 0);
            } catch (CorruptFilterException e) {
                refused++;
                continue;
            }
            long first = PageDecoder.firstEntry(page, PAGE) & ~Entries.TOMBSTONE;
            for (int k = 0; k < 10; k++) {
                long key = random.nextLong(first, Long.MAX_VALUE);
                key &= Entries.mask(GoldenFiles.hashBits(name)) & ~Entries.TOMBSTONE;
                assertThat(PageDecoder.find(page, PAGE, Math.max(first, key), droppedBits))
                        .isBetween(LevelFile.ABSENT, LevelFile.TOMBSTONE);
            }
            page.get(PAGE, copy);
            int count = PageDecoder.decode(copy, droppedBits, into);
            assertThat(Math.max(count, ~count)).isEqualTo(PageDecoder.count(page, PAGE));
        }
        assertThat(refused).isBetween(10_000, 29_000);
    }
}
