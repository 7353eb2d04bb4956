/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.storage;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Positional reads of one file.
 *
 * <p>Interrupting a thread inside a read closes a channel for all threads (that is what {@link
 * java.nio.channels.InterruptibleChannel} promises), while the file is shared with threads that
 * were not interrupted. They reopen it and go on; only the interrupted thread gets the exception.
 */
final class NioReadableFile implements ReadableFile {

    /** Direct reads need position, length and address to be multiples of it, in bytes. */
    static final int ALIGNMENT = 4096;

    private final Path path;

    /** Null if all reads are cached. Replaced, under the lock, when an interrupt has closed it. */
    private volatile FileChannel direct;

    /** Replaced, under the lock, when an interrupt has closed it. */
    private volatile FileChannel cached;

    /** Guarded by this. */
    private boolean closed;

    NioReadableFile(Path path, boolean reallyDirect) throws IOException {
        this.path = path;
        cached = openCached();
        try {
            direct = reallyDirect ? openDirect() : null;
        } catch (IOException | RuntimeException e) {
            cached.close();
            throw e;
        }
    }

    @Override
    public int read(long position, ByteBuffer into) throws IOException {
        boolean aligned = direct != null && isAligned(position, into);
        int start = into.position();
        while (true) {
            FileChannel channel = aligned ? direct : cached;
            try {
                int multiple = aligned ? ALIGNMENT : 1;
                return readFully(channel, position, into.position(start), multiple);
            } catch (ClosedByInterruptException e) {
                throw e;
            } catch (ClosedChannelException e) {
                reopen(channel, e);
            }
        }
    }

    private static boolean isAligned(long position, ByteBuffer into) {
        return into.isDirect()
                && (position | into.remaining()) % ALIGNMENT == 0
                && into.alignmentOffset(into.position(), ALIGNMENT) == 0;
    }

    /** Continues where a read ended, if that is aligned; if not, the file ended there. */
    private static int readFully(FileChannel channel, long position, ByteBuffer into, int multiple)
            throws IOException {
        int done = 0;
        while (into.hasRemaining() && done % multiple == 0) {
            int n = channel.read(into, position + done);
            if (n < 0) {
                break;
            }
            done += n;
        }
        return done;
    }

    private synchronized void reopen(FileChannel broken, ClosedChannelException cause)
            throws IOException {
        if (closed) {
            throw cause;
        }
        if (broken == cached) {
            cached = openCached();
        } else if (broken == direct) {
            direct = openDirect();
        }
    }

    private FileChannel openCached() throws IOException {
        return FileChannel.open(path, StandardOpenOption.READ);
    }

    private FileChannel openDirect() throws IOException {
        return FileChannel.open(path, StandardOpenOption.READ, ExtendedOpenOption.DIRECT);
    }

    @Override
    public long length() throws IOException {
        while (true) {
            FileChannel channel = cached;
            try {
                return channel.size();
            } catch (ClosedByInterruptException e) {
                throw e;
            } catch (ClosedChannelException e) {
                reopen(channel, e);
            }
        }
    }

    @Override
    public synchronized void close() throws IOException {
        closed = true;
        try {
            cached.close();
        } finally {
            if (direct != null) {
                direct.close();
            }
        }
    }
}
