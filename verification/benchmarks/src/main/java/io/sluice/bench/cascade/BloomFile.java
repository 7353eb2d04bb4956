/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.capture.traffic.SplitMix64;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A Bloom filter whose bits are in a file, by double hashing of a well mixed key, whose error is
 * that of independent functions except for terms of lower order (Kirsch, Mitzenmacher 2006).
 */
abstract class BloomFile implements DiskFilter {
    static final int CHUNK_BYTES = 1 << 20;

    private final DirectFile file;
    private final long bytes;
    private final int functions;
    private long bytesWritten;

    /** The smallest filter of whole pages for {@code keys} keys, empty, in a new file. */
    BloomFile(Path path, long keys, double fpp) throws IOException {
        double bitsPerKey = Math.log(1 / fpp) / (Math.log(2) * Math.log(2));
        long pages = (long) Math.ceil(keys * bitsPerKey / 8 / DirectFile.PAGE_BYTES);
        bytes = Math.max(1, pages) * DirectFile.PAGE_BYTES;
        functions = Math.max(1, (int) Math.round(bitsPerKey * Math.log(2)));
        file = new DirectFile(path);
        // Real zeros: a hole in the file would be read without using the device.
        ByteBuffer zeros = DirectFile.buffer(CHUNK_BYTES);
        for (long at = 0; at < bytes; at += CHUNK_BYTES) {
            file.write(zeros.clear().limit((int) Math.min(CHUNK_BYTES, bytes - at)), at);
        }
        file.sync();
    }

    /** Sets a bit of the file, now or later. */
    abstract void set(long bit) throws IOException;

    /** Writes all bits that were set to the file. */
    abstract void flush() throws IOException;

    final void read(ByteBuffer into, long at) throws IOException {
        file.read(into, at);
    }

    final void write(ByteBuffer from, long at) throws IOException {
        bytesWritten += from.remaining();
        file.write(from, at);
    }

    static void set(ByteBuffer bits, int bit) {
        bits.put(bit >>> 3, (byte) (bits.get(bit >>> 3) | 1 << (bit & 7)));
    }

    /** Bits that a key sets. */
    final int functions() {
        return functions;
    }

    @Override
    public final void add(long... keys) throws IOException {
        for (long key : keys) {
            long step = SplitMix64.mix(key ^ SplitMix64.GAMMA) | 1;
            for (int i = 0; i < functions; i++) {
                set(Math.multiplyHigh((key + i * step) >>> 1, 16 * bytes));
            }
        }
    }

    @Override
    public final void settle() throws IOException {
        flush();
        file.sync();
    }

    @Override
    public final long diskBytes() {
        return bytes;
    }

    /** Without the zeros at the start. */
    @Override
    public final long bytesWritten() {
        return bytesWritten;
    }

    @Override
    public final void close() throws IOException {
        file.close();
    }
}
