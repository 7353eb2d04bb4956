/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import static io.sluice.fuzz.Reading.check;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.UnsupportedFormatException;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.storage.Directory;
import io.sluice.filter.storage.DirectoryLock;
import io.sluice.filter.storage.ReadableFile;
import io.sluice.filter.storage.WritableFile;
import io.sluice.fuzz.Reading;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

class LevelFileFuzzTest {

    private static final String NAME = "fuzzed";

    /** A directory that holds nothing else, and cannot be written. */
    private static final class OneFile implements Directory {

        private final byte[] bytes;

        private OneFile(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public ReadableFile open(String name) {
            return new ReadableFile() {
                @Override
                public int read(long position, ByteBuffer into) {
                    int n = (int) Math.max(0, Math.min(into.remaining(), length() - position));
                    into.put(bytes, (int) Math.min(position, length()), n);
                    return n;
                }

                @Override
                public long length() {
                    return bytes.length;
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public long length(String name) {
            return bytes.length;
        }

        @Override
        public List<String> list() {
            return List.of(NAME);
        }

        @Override
        public WritableFile create(String name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void rename(String from, String to) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void delete(String name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void sync() {
            throw new UnsupportedOperationException();
        }

        @Override
        public DirectoryLock lock() {
            throw new UnsupportedOperationException();
        }
    }

    @FuzzTest
    void aLevelFile(byte[] bytes) throws IOException {
        read(new OneFile(righted(bytes)));
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
            Reading.accept();
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
