/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.storage.ReadableFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Objects;

/** Reads a file from its beginning to its end, and closes it. Not thread-safe. */
final class FileInput extends InputStream {

    private static final int BUFFER_BYTES = 1 << 16;

    private final ReadableFile file;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES).limit(0);
    private long position;

    FileInput(ReadableFile file) {
        this.file = file;
    }

    @Override
    public int read() throws IOException {
        return fill() ? buffer.get() & 0xff : -1;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, into.length);
        if (length == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        int n = Math.min(length, buffer.remaining());
        buffer.get(into, offset, n);
        return n;
    }

    /** Returns whether there is anything left to read. */
    private boolean fill() throws IOException {
        if (!buffer.hasRemaining()) {
            buffer.clear();
            position += file.read(position, buffer);
            buffer.flip();
        }
        return buffer.hasRemaining();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
