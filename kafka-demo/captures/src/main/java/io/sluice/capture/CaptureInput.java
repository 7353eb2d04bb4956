/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;

/**
 * A window over the bytes of a capture, decompressed if necessary. The window is large enough for
 * the longest packet and is the only memory that a capture of any size takes.
 */
final class CaptureInput implements Closeable {
    /** Enough for the longest record of either format, and for long reads. */
    static final int WINDOW_BYTES = 1 << 20;

    private static final int GZIP_MAGIC = 0x1F8B;

    private final String file;
    private InputStream stream;
    private GzipMembers gzip;
    private final byte[] window = new byte[WINDOW_BYTES];
    private int position;
    private int limit;
    private long windowOffset;
    private boolean atEnd;

    CaptureInput(String file, InputStream stream) throws IOException {
        this.file = file;
        this.stream = stream;
        if (ensure(2) && Octets.u16(window, 0) == GZIP_MAGIC) {
            gzip = new GzipMembers(stream, window, limit);
            this.stream = gzip;
            limit = 0;
            atEnd = false;
        }
    }

    String file() {
        return file;
    }

    /** The array that holds the window; the next byte is at {@link #position}. */
    byte[] window() {
        return window;
    }

    int position() {
        return position;
    }

    /** Offset of the next byte in the decompressed file. */
    long offset() {
        return windowOffset + position;
    }

    /** Number of bytes from {@link #position} on that are in the window. */
    int available() {
        return limit - position;
    }

    /** What is wrong with the compressed data; empty if nothing is. */
    String damage() {
        return gzip == null ? "" : gzip.damage();
    }

    /** Whether {@link #damage} means that compressed data is missing at the end. */
    boolean isCompressionCut() {
        return gzip != null && gzip.isCut();
    }

    /** Advances by {@code count} bytes that are in the window. */
    void skip(int count) {
        position += count;
    }

    /**
     * Brings {@code count} bytes into the window, moving its contents. Returns false, with the
     * remaining bytes in the window, if the file ends before.
     */
    boolean ensure(int count) throws IOException {
        if (limit - position >= count) {
            return true;
        }
        if (window.length - position < count) {
            System.arraycopy(window, position, window, 0, limit - position);
            windowOffset += position;
            limit -= position;
            position = 0;
        }
        while (limit - position < count && !atEnd) {
            int read = stream.read(window, limit, window.length - limit);
            if (read < 0) {
                atEnd = true;
            } else {
                limit += read;
            }
        }
        return limit - position >= count;
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }
}
