/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import static io.sluice.fuzz.Reading.check;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.UnsupportedFormatException;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.storage.Directory;
import io.sluice.filter.storage.NioDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;

class LevelFileFuzzTest {

    private static final String NAME = "fuzzed";

    @FuzzTest
    void aLevelFile(byte[] bytes) throws IOException {
        Path folder = Files.createTempDirectory("level-file");
        Path file = folder.resolve(NAME);
        try {
            Files.write(file, righted(bytes));
            read(new NioDirectory(folder));
        } finally {
            Files.deleteIfExists(file);
            Files.deleteIfExists(folder);
        }
    }

    private static void read(Directory directory) throws IOException {
        try (LevelFile file =
                LevelFile.open(
                        directory, LevelFile.readInfo(directory, NAME), new PageCache(1 << 16))) {
            for (int id = 0; id < 50; id++) {
                int found = file.find(Entries.of(id % 3, Hashing.hash(id)));
                check(
                        found == LevelFile.ABSENT
                                || found == LevelFile.PRESENT
                                || found == LevelFile.TOMBSTONE,
                        "an answer");
            }
            long entries = 0;
            long last = -1;
            long[] some = new long[PageLayout.BYTES];
            try (EntryCursor cursor = file.cursor()) {
                for (int n = cursor.next(some); n > 0; n = cursor.next(some)) {
                    for (int i = 0; i < n; i++) {
                        check(some[i] > last, "entries ascend");
                        last = some[i];
                    }
                    entries += n;
                }
            }
            check(entries == file.info().entries(), "as many entries as the footer says");
        } catch (CorruptFilterException | UnsupportedFormatException refused) {
            // What a damaged file is owed.
        }
    }

    /** Whole pages, the last of which is a footer; all checksums as they would be. */
    private static byte[] righted(byte[] bytes) {
        int pages = bytes.length / PageLayout.BYTES;
        if (pages == 0) {
            return bytes;
        }
        byte[] righted = Arrays.copyOf(bytes, pages * PageLayout.BYTES);
        ByteBuffer buffer = ByteBuffer.wrap(righted).order(ByteOrder.LITTLE_ENDIAN);
        int footer = (pages - 1) * PageLayout.BYTES;
        int salt = buffer.getInt(footer + LevelFileFormat.SALT_OFFSET);
        CRC32C all = new CRC32C();
        for (int page = 0; page < pages - 1; page++) {
            int at = page * PageLayout.BYTES;
            buffer.putInt(at, checksum(buffer, at) ^ PageLayout.salt(salt, page));
            all.update(righted, at, Integer.BYTES);
        }
        buffer.putInt(footer + LevelFileFormat.PAGE_CHECKSUMS_OFFSET, (int) all.getValue());
        buffer.putLong(footer + LevelFileFormat.LENGTH_OFFSET, (long) pages * PageLayout.BYTES);
        buffer.putInt(footer, checksum(buffer, footer));
        return righted;
    }

    private static int checksum(ByteBuffer buffer, int at) {
        return Checksums.of(buffer, at + PageLayout.CHECKED_OFFSET, at + PageLayout.BYTES);
    }
}
