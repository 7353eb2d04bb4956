/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongConsumer;
import org.apache.flink.core.fs.FSDataInputStream;

/**
 * A part of a stream, read through a buffer. Skipping far costs a seek, whatever the file system
 * makes of {@code skip}. Does not close the stream. Not thread-safe.
 */
final class Region extends InputStream {

    private final FSDataInputStream in;
    private final long end;
    private final byte[] buffer;
    private final LongConsumer onRead;

    /** Position in the stream of the first byte of the buffer. */
    private long bufferAt;

    private int next;
    private int limit;

    /**
     * @param from where it begins in the stream
     * @param end where it ends
     * @param onRead is told how many bytes were read from the stream
     */
    Region(FSDataInputStream in, long from, long end, int bufferBytes, LongConsumer onRead)
            throws IOException {
        this.in = in;
        this.end = end;
        this.buffer = new byte[bufferBytes];
        this.onRead = onRead;
        this.bufferAt = from;
        in.seek(from);
    }

    /** Position in the stream of the next byte. */
    long position() {
        return bufferAt + next;
    }

    /** Continues at a position, which must be in the region or at its end. */
    void seek(long position) throws IOException {
        if (position >= bufferAt && position <= bufferAt + limit) {
            next = (int) (position - bufferAt);
            return;
        }
        bufferAt = position;
        next = 0;
        limit = 0;
        if (position < end) {
            in.seek(position);
        }
    }

    private boolean fill() throws IOException {
        if (next < limit) {
            return true;
        }
        bufferAt += limit;
        next = 0;
        limit = 0;
        int wanted = (int) Math.min(buffer.length, end - bufferAt);
        int read = wanted <= 0 ? -1 : in.read(buffer, 0, wanted);
        if (read <= 0) {
            return false;
        }
        limit = read;
        onRead.accept(read);
        return true;
    }

    @Override
    public int read() throws IOException {
        return fill() ? buffer[next++] & 0xff : -1;
    }

    @Override
    public int read(byte[] into, int at, int most) throws IOException {
        if (most == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        int n = Math.min(most, limit - next);
        System.arraycopy(buffer, next, into, at, n);
        next += n;
        return n;
    }

    @Override
    public long skip(long wanted) throws IOException {
        long n = Math.max(0, Math.min(wanted, end - position()));
        seek(position() + n);
        return n;
    }
}
