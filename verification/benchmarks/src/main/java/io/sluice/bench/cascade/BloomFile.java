/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A plain Bloom filter on disk: the bits are in a file, the memory holds the most recently used
 * pages. Each bit of a key is on a different page, so a key costs about as many page reads and
 * writes as it sets bits; the paper's comparison.
 */
final class BloomFile implements DiskSet {
    private static final int ZERO_BYTES = 1 << 20;

    private final DirectFile file;
    private final BloomPositions positions;
    private final DirectPages pages;

    /** An empty filter for {@code keys} keys in the new file {@code path}. */
    BloomFile(Path path, long keys, double fpp, long memoryBytes) throws IOException {
        positions = BloomPositions.forKeys(keys, fpp);
        file = DirectFile.create(path);
        writeZeros(file, positions.bytes());
        pages = new DirectPages(file, Math.toIntExact(positions.pages()), memoryBytes);
    }

    /** Real zeros: a hole in the file would be read without using the device. */
    static void writeZeros(DirectFile file, long bytes) throws IOException {
        ByteBuffer zeros = DirectFile.buffer(ZERO_BYTES);
        for (long at = 0; at < bytes; at += ZERO_BYTES) {
            zeros.clear().limit((int) Math.min(ZERO_BYTES, bytes - at));
            file.write(zeros, at);
        }
        file.sync();
    }

    @Override
    public String id() {
        return "bloomFile";
    }

    @Override
    public String name() {
        return "Bloom filter on SSD";
    }

    @Override
    public void add(long[] keys, int from, int to) throws IOException {
        for (int i = from; i < to; i++) {
            set(keys[i]);
        }
    }

    @Override
    public int addIfAbsent(long[] keys, int from, int to) throws IOException {
        int added = 0;
        for (int i = from; i < to; i++) {
            if (!contains(keys[i])) {
                set(keys[i]);
                added++;
            }
        }
        return added;
    }

    @Override
    public boolean contains(long key) throws IOException {
        long step = BloomPositions.step(key);
        for (int i = 0; i < positions.functions(); i++) {
            if (!pages.get(positions.position(key, step, i))) {
                return false;
            }
        }
        return true;
    }

    private void set(long key) throws IOException {
        long step = BloomPositions.step(key);
        for (int i = 0; i < positions.functions(); i++) {
            pages.set(positions.position(key, step, i));
        }
    }

    /** Reads of single pages since it was opened. */
    long pagesRead() {
        return pages.pagesRead();
    }

    @Override
    public void settle() throws IOException {
        pages.flush();
        file.sync();
    }

    @Override
    public long diskBytes() throws IOException {
        return file.size();
    }

    /** Without the zeros at the start. */
    @Override
    public long bytesWritten() {
        return pages.pagesWritten() * DirectFile.PAGE_BYTES;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
