/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file that is read and written past the page cache of the system (O_DIRECT), so that
 * measurements depend on the device and on the memory that a structure was given. Positions and
 * lengths are multiples of a page. Safe for several threads, each with its own buffer.
 */
final class DirectFile implements Closeable {
    static final int PAGE_BYTES = 4096;

    private final FileChannel channel;
    private final Path path;

    /**
     * Creates an empty file.
     *
     * @throws IllegalArgumentException if the file system has no direct access
     */
    DirectFile(Path path) throws IOException {
        this.path = path;
        try {
            channel =
                    FileChannel.open(
                            path,
                            StandardOpenOption.CREATE_NEW,
                            StandardOpenOption.READ,
                            StandardOpenOption.WRITE,
                            ExtendedOpenOption.DIRECT);
        } catch (UnsupportedOperationException noDirectAccess) {
            throw new IllegalArgumentException(
                    "the file system of "
                            + path.toAbsolutePath()
                            + " has no direct access (O_DIRECT): name a directory on a local disk"
                            + " with --directory",
                    noDirectAccess);
        }
    }

    /** A buffer for direct access: it begins at a multiple of the page size. */
    static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocateDirect(Math.addExact(bytes, PAGE_BYTES))
                .alignedSlice(PAGE_BYTES)
                .limit(bytes)
                .slice();
    }

    /** Fills {@code into} from its position to its limit. */
    void read(ByteBuffer into, long position) throws IOException {
        long at = position;
        while (into.hasRemaining()) {
            int n = channel.read(into, at);
            if (n <= 0) {
                throw new EOFException(path + " ends at " + at + ", needed " + into.remaining());
            }
            at += n;
        }
    }

    /** Writes {@code from} from its position to its limit. */
    void write(ByteBuffer from, long position) throws IOException {
        long at = position;
        while (from.hasRemaining()) {
            at += channel.write(from, at);
        }
    }

    /** Forces what was written to the device. */
    void sync() throws IOException {
        channel.force(false);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
