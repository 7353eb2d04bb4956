/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.annotation.Internal;
import io.sluice.filter.cascade.file.LevelFileFormat.Footer;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.storage.Directory;
import io.sluice.filter.storage.WritableFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Writes a level file from ascending entries, in large pieces. A file that was not finished is
 * deleted when the writer is closed. Not thread-safe.
 */
@Internal
public final class LevelFileWriter implements Closeable {

    /** Entries that wait for their page: two full ones. */
    private static final int WAITING = 2 * PageLayout.MAX_ENTRIES;

    private final Directory directory;
    private final String name;
    private final LevelFileOptions options;
    private final PageEncoder encoder;
    private final long forbiddenBits;
    private final long[] waiting = new long[WAITING];
    private final CRC32C pageChecksums = new CRC32C();
    private final ByteBuffer checksum = ByteBuffer.allocate(Integer.BYTES);
    private final int salt;

    /** Null if no cache is to be warmed. */
    private final CachedPages cachedPages;

    /** Null if there is to be no summary. */
    private final Summary.Builder summary;

    private final WritableFile file;

    /** Null when closed. */
    private ByteBuffer buffer;

    private int waitingCount;
    private long[] firstEntries = new long[64];
    private int pages;
    private int writtenPages;
    private long entries;
    private long tombstones;

    /** Includes those that wait for their page. */
    private long addedTombstones;

    private long lastEntry = LevelFileFormat.NO_LAST_ENTRY;

    /** Null until finished. */
    private Footer footer;

    private LevelFileWriter(Directory directory, String name, LevelFileOptions options)
            throws IOException {
        this.directory = directory;
        this.name = name;
        this.options = options;
        encoder = new PageEncoder(options.hashBits());
        forbiddenBits = ~Entries.mask(options.hashBits()) | Long.MIN_VALUE;
        CRC32C nameChecksum = new CRC32C();
        nameChecksum.update(name.getBytes(StandardCharsets.UTF_8));
        salt = (int) nameChecksum.getValue();
        cachedPages = options.warm() == null ? null : new CachedPages(64);
        summary =
                options.summaryBitsPerKey() == 0
                        ? null
                        : new Summary.Builder(options.summaryBitsPerKey());
        file = directory.create(name);
        buffer = TransferBuffers.take();
    }

    /**
     * Creates a file.
     *
     * @throws java.nio.file.FileAlreadyExistsException if there is one of this name
     */
    public static LevelFileWriter create(Directory directory, String name, LevelFileOptions options)
            throws IOException {
        return new LevelFileWriter(directory, name, options);
    }

    /**
     * Adds entries, which must ascend and come after all that were added before; at most one for
     * each key.
     *
     * @throws IllegalArgumentException if they do not, or have bits that this file does not keep;
     *     then the file can only be abandoned
     */
    public void add(long[] added, int from, int to) throws IOException {
        check(added, from, to);
        for (int done = from; done < to; ) {
            int n = Math.min(to - done, WAITING - waitingCount);
            System.arraycopy(added, done, waiting, waitingCount, n);
            waitingCount += n;
            done += n;
            if (waitingCount == WAITING) {
                encodeWaiting(PageLayout.MAX_ENTRIES);
            }
        }
    }

    private void check(long[] added, int from, int to) {
        if (buffer == null || footer != null) {
            throw new IllegalStateException(name + " is finished or closed");
        }
        long bits = 0;
        int newTombstones = 0;
        long allAscend = -1;
        long last = lastEntry | Entries.TOMBSTONE;
        for (int i = from; i < to; i++) {
            long key = added[i] | Entries.TOMBSTONE;
            bits |= added[i];
            newTombstones += (int) (added[i] & Entries.TOMBSTONE);
            allAscend &= last - key;
            last = key;
        }
        if ((bits & forbiddenBits) != 0 || allAscend >= 0) {
            throw new IllegalArgumentException(
                    "entries must ascend from "
                            + lastEntry
                            + " on, at most one for each key, and keep only "
                            + options.hashBits()
                            + " hash bits: wrong between "
                            + added[from]
                            + " and "
                            + added[to - 1]);
        }
        if (to > from) {
            lastEntry = added[to - 1];
        }
        addedTombstones += newTombstones;
    }

    /** Bytes of the pages that are full. */
    public long sizeInBytes() {
        return (long) writtenPages << PageLayout.SHIFT;
    }

    /** Encodes pages until {@code keep} entries wait at most. */
    private void encodeWaiting(int keep) throws IOException {
        int from = 0;
        while (waitingCount - from > keep) {
            boolean any = addedTombstones > tombstones;
            int count = encoder.countThatFits(waiting, from, waitingCount, any);
            encodePage(from, count);
            from += count;
        }
        System.arraycopy(waiting, from, waiting, 0, waitingCount - from);
        waitingCount -= from;
    }

    private void encodePage(int from, int count) throws IOException {
        int at = startPage();
        boolean any = addedTombstones > tombstones;
        tombstones += encoder.encode(waiting, from, count, any, buffer, at);
        entries += count;
        endPage(at);
        if (pages == firstEntries.length) {
            firstEntries = Arrays.copyOf(firstEntries, 2 * pages);
        }
        firstEntries[pages] = waiting[from];
        if (cachedPages != null) {
            options.warm().put(cachedPages, pages, buffer, at);
        }
        if (summary != null) {
            summary.addPage(waiting, from, from + count);
        }
        pages++;
    }

    /** Where in the buffer the next page goes. */
    private int startPage() throws IOException {
        if (!buffer.hasRemaining()) {
            writeBuffer();
        }
        return buffer.position();
    }

    private void endPage(int at) {
        int value =
                Checksums.of(buffer, at + PageLayout.CHECKED_OFFSET, at + PageLayout.BYTES)
                        ^ PageLayout.salt(salt, writtenPages++);
        buffer.putInt(at + PageLayout.CHECKSUM_OFFSET, value);
        pageChecksums.update(checksum.clear().putInt(Integer.reverseBytes(value)).flip());
        buffer.position(at + PageLayout.BYTES);
    }

    private void writeBuffer() throws IOException {
        file.write(buffer.flip());
        buffer.clear();
    }

    /**
     * Writes what waits, index and footer, and closes the file.
     *
     * @param sync whether the file (not its name) is to be durable before this returns
     */
    public LevelFileInfo finish(boolean sync) throws IOException {
        if (buffer == null || footer != null) {
            throw new IllegalStateException(name + " is finished or closed");
        }
        encodeWaiting(0);
        for (int page = 0; page < pages; page += LevelFileFormat.INDEX_LENGTH) {
            int at = startPage();
            buffer.putLong(at, 0);
            for (int i = 0; i < LevelFileFormat.INDEX_LENGTH; i++) {
                long first = page + i < pages ? firstEntries[page + i] : 0;
                buffer.putLong(at + LevelFileFormat.INDEX_OFFSET + i * Long.BYTES, first);
            }
            endPage(at);
        }
        LevelFileInfo info =
                new LevelFileInfo(
                        name,
                        LevelFileFormat.length(pages),
                        entries,
                        tombstones,
                        pages == 0 ? LevelFileFormat.NO_FIRST_ENTRY : firstEntries[0],
                        lastEntry,
                        options.hashBits(),
                        Hashing.XXH3_64,
                        0);
        int at = startPage();
        Footer written =
                new Footer(info, pages, salt, (int) pageChecksums.getValue())
                        .writeTo(buffer.slice(at, PageLayout.BYTES).order(buffer.order()));
        buffer.position(at + PageLayout.BYTES);
        writeBuffer();
        if (sync) {
            file.sync();
        }
        file.close();
        footer = written;
        TransferBuffers.give(buffer);
        buffer = null;
        return written.info();
    }

    /**
     * Opens the finished file without reading it: index, summary and warm pages are handed over.
     * May be called only once.
     *
     * @param cache the cache that was warmed, if one was
     */
    public LevelFile open(PageCache cache) throws IOException {
        if (footer == null) {
            throw new IllegalStateException(name + " is not finished");
        }
        CachedPages warm = cachedPages == null ? new CachedPages(pages) : cachedPages;
        if (cachedPages != null) {
            options.warm().makeRoom(cachedPages, pages);
        }
        PageIndex index = new PageIndex(firstEntries, pages);
        Summary built = summary == null ? null : summary.build();
        FilePages opened = new FilePages(directory.open(name), footer, index);
        return new LevelFile(opened, cache, warm, built);
    }

    /** Deletes the file if it is not finished. Idempotent. */
    @Override
    public void close() throws IOException {
        if (buffer == null) {
            return;
        }
        TransferBuffers.give(buffer);
        buffer = null;
        if (cachedPages != null) {
            options.warm().remove(cachedPages);
        }
        try {
            file.close();
        } finally {
            directory.delete(name);
        }
    }
}
