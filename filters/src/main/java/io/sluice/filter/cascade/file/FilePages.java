/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.cascade.file.LevelFileFormat.Footer;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.storage.Directory;
import io.sluice.filter.storage.ReadableFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The pages of one level file on disk: found through footer and index, read, and checked before
 * use. Knows nothing of caches. For any number of threads.
 */
final class FilePages implements Closeable {

    private final ReadableFile file;
    private final Footer footer;
    private final LevelFileInfo info;
    private final int droppedBits;
    private final PageIndex index;

    FilePages(ReadableFile file, Footer footer, PageIndex index) {
        this.file = file;
        this.footer = footer;
        this.info = footer.info();
        this.droppedBits = Entries.droppedBits(info.hashBits());
        this.index = index;
    }

    /** Reads and checks footer and index, see {@link LevelFile#open}. */
    static FilePages open(Directory directory, LevelFileInfo expected) throws IOException {
        ReadableFile file = directory.open(expected.name());
        ByteBuffer buffer = TransferBuffers.take();
        try {
            Footer footer = readFooter(file, expected.name(), buffer);
            if (!footer.info().equals(expected)) {
                throw new CorruptFilterException(
                        expected.name(),
                        footer.info().sizeBytes() - PageLayout.BYTES,
                        "not the expected file: found " + footer.info() + ", expected " + expected);
            }
            return new FilePages(file, footer, readIndex(file, footer, buffer));
        } catch (IOException | RuntimeException e) {
            try {
                file.close();
            } catch (IOException closing) {
                e.addSuppressed(closing);
            }
            throw e;
        } finally {
            TransferBuffers.give(buffer);
        }
    }

    static LevelFileInfo readInfo(Directory directory, String name) throws IOException {
        ByteBuffer buffer = TransferBuffers.take();
        try (ReadableFile file = directory.open(name)) {
            return readFooter(file, name, buffer).info();
        } finally {
            TransferBuffers.give(buffer);
        }
    }

    LevelFileInfo info() {
        return info;
    }

    PageIndex index() {
        return index;
    }

    private static Footer readFooter(ReadableFile file, String name, ByteBuffer buffer)
            throws IOException {
        long length = file.length();
        if (length < PageLayout.BYTES || length % PageLayout.BYTES != 0) {
            throw new CorruptFilterException(
                    name,
                    length,
                    length + " bytes are not a level file: not a whole number of pages");
        }
        read(file, name, length - PageLayout.BYTES, buffer.clear().limit(PageLayout.BYTES));
        return Footer.readFrom(buffer, name, length);
    }

    private static PageIndex readIndex(ReadableFile file, Footer footer, ByteBuffer buffer)
            throws IOException {
        String name = footer.info().name();
        int pages = footer.pages();
        int indexPages = LevelFileFormat.indexPages(pages);
        long[] firstEntries = new long[pages];
        long last = -1;
        for (int done = 0; done < indexPages; ) {
            int n = Math.min(TransferBuffers.PAGES, indexPages - done);
            long position = (long) (pages + done) << PageLayout.SHIFT;
            read(file, name, position, buffer.clear().limit(n << PageLayout.SHIFT));
            for (int i = 0; i < n; i++, done++, position += PageLayout.BYTES) {
                int at = i << PageLayout.SHIFT;
                int salt = PageLayout.salt(footer.salt(), pages + done);
                PageDecoder.checkChecksum(buffer, at, salt, name, position);
                int from = done * LevelFileFormat.INDEX_LENGTH;
                int to = Math.min(pages, from + LevelFileFormat.INDEX_LENGTH);
                for (int page = from; page < to; page++) {
                    int offset = LevelFileFormat.INDEX_OFFSET + (page - from) * Long.BYTES;
                    long first = buffer.getLong(at + offset);
                    if (first <= last) {
                        throw new CorruptFilterException(
                                name, position + offset, "pages do not ascend at " + page);
                    }
                    firstEntries[page] = first;
                    last = first;
                }
            }
        }
        if (pages > 0 && (firstEntries[0] != footer.info().firstEntry())) {
            throw new CorruptFilterException(
                    name, (long) pages << PageLayout.SHIFT, "index and footer disagree");
        }
        return new PageIndex(firstEntries, pages);
    }

    /** Fills the buffer from a position of the file. */
    void read(long position, ByteBuffer into) throws IOException {
        read(file, info.name(), position, into);
    }

    /** The file is long enough unless it was truncated meanwhile. */
    private static void read(ReadableFile file, String name, long position, ByteBuffer into)
            throws IOException {
        int expected = into.remaining();
        int read = file.read(position, into);
        if (read < expected) {
            throw new CorruptFilterException(
                    name, position + read, "ends inside a page that was there when it was opened");
        }
    }

    /** Reads and checks a page. */
    void load(int page, ByteBuffer buffer, int at) throws IOException {
        long position = (long) page << PageLayout.SHIFT;
        read(position, buffer.slice(at, PageLayout.BYTES));
        checkPage(page, buffer, at);
    }

    private void checkPage(int page, ByteBuffer buffer, int at) throws CorruptFilterException {
        long position = (long) page << PageLayout.SHIFT;
        int salt = PageLayout.salt(footer.salt(), page);
        PageDecoder.check(buffer, at, salt, droppedBits, info.name(), position);
        if ((PageDecoder.firstEntry(buffer, at) & ~Entries.TOMBSTONE) != index.firstKey(page)) {
            throw new CorruptFilterException(
                    info.name(), position, "the page does not begin as the index says");
        }
    }

    /**
     * Checks a page and puts its entries into {@code into}; returns their number.
     *
     * @param copy of a page's length, overwritten
     */
    int decode(int page, ByteBuffer buffer, int at, byte[] copy, long[] into)
            throws CorruptFilterException {
        checkPage(page, buffer, at);
        buffer.get(at, copy);
        int count = PageDecoder.decode(copy, droppedBits, into);
        boolean last = page + 1 == index.pages();
        if (count < 0
                || (last
                        ? into[count - 1] != info.lastEntry()
                        : into[count - 1] >= index.firstKey(page + 1))) {
            throw new CorruptFilterException(
                    info.name(),
                    (long) page << PageLayout.SHIFT,
                    "the entries of the page do not ascend");
        }
        return count;
    }

    /** Reads the whole file and checks everything that can be checked. */
    void verify() throws IOException {
        ByteBuffer buffer = TransferBuffers.take();
        try {
            CRC32C checksums = new CRC32C();
            ByteBuffer checksum = ByteBuffer.allocate(Integer.BYTES).order(buffer.order());
            byte[] copy = new byte[PageLayout.BYTES];
            long[] entries = new long[PageLayout.MAX_ENTRIES];
            long count = 0;
            long tombstones = 0;
            int dataPages = index.pages();
            int all = dataPages + LevelFileFormat.indexPages(dataPages);
            for (int page = 0; page < all; page++) {
                long position = (long) page << PageLayout.SHIFT;
                buffer.clear().limit(PageLayout.BYTES);
                read(position, buffer);
                if (page < dataPages) {
                    int n = decode(page, buffer, 0, copy, entries);
                    count += n;
                    for (int i = 0; i < n; i++) {
                        tombstones += entries[i] & Entries.TOMBSTONE;
                    }
                } else {
                    int salt = PageLayout.salt(footer.salt(), page);
                    PageDecoder.checkChecksum(buffer, 0, salt, info.name(), position);
                }
                checksum.clear().putInt(buffer.getInt(PageLayout.CHECKSUM_OFFSET));
                checksums.update(checksum.flip());
            }
            if (count != info.entries()
                    || tombstones != info.tombstones()
                    || (int) checksums.getValue() != footer.pageChecksums()) {
                throw new CorruptFilterException(
                        info.name(), (long) all << PageLayout.SHIFT, "pages and footer disagree");
            }
        } finally {
            TransferBuffers.give(buffer);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
