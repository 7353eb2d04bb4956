/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.filter.storage.Directory;
import io.sluice.filter.storage.DirectoryLock;
import io.sluice.filter.storage.ReadableFile;
import io.sluice.filter.storage.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * A level file in a checkpoint, as the only file of a directory that cannot be changed. Reads
 * ahead, because whoever checks a file reads it from one end to the other; and computes the
 * checksum of the whole on the way. For one thread at a time.
 */
final class HandleFile implements Directory, ReadableFile {

    private static final int BUFFER_BYTES = 256 << 10;

    private final String name;
    private final StreamStateHandle handle;
    private final FSDataInputStream in;
    private final LongConsumer onRead;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final CRC32C crc = new CRC32C();

    /** The checksum covers what is before this position. */
    private long crcTo;

    private long bufferAt;
    private int buffered;

    /**
     * @param name of the file
     * @param onRead is told how many bytes were read
     */
    HandleFile(String name, StreamStateHandle handle, LongConsumer onRead) throws IOException {
        this.name = name;
        this.handle = handle;
        this.onRead = onRead;
        this.in = handle.openInputStream();
    }

    /** The checksum of the whole file; reads what was not read from the beginning on. */
    int crc32c() throws IOException {
        ByteBuffer rest = ByteBuffer.allocate(BUFFER_BYTES);
        while (crcTo < length() && read(crcTo, rest.clear()) > 0) {
            rest.clear();
        }
        return (int) crc.getValue();
    }

    @Override
    public int read(long position, ByteBuffer into) throws IOException {
        long at = position;
        while (into.hasRemaining() && fill(at)) {
            int from = (int) (at - bufferAt);
            int n = Math.min(into.remaining(), buffered - from);
            into.put(buffer, from, n);
            if (at == crcTo) {
                crc.update(buffer, from, n);
                crcTo += n;
            }
            at += n;
        }
        return (int) (at - position);
    }

    private boolean fill(long at) throws IOException {
        if (at >= bufferAt && at < bufferAt + buffered) {
            return true;
        }
        if (at >= length()) {
            return false;
        }
        if (at != bufferAt + buffered || bufferAt == 0) {
            in.seek(at);
        }
        bufferAt = at;
        buffered = Math.max(0, in.read(buffer, 0, (int) Math.min(BUFFER_BYTES, length() - at)));
        onRead.accept(buffered);
        return buffered > 0;
    }

    @Override
    public long length() {
        return handle.getStateSize();
    }

    @Override
    public ReadableFile open(String wanted) throws IOException {
        if (!wanted.equals(name)) {
            throw new NoSuchFileException(wanted);
        }
        return this;
    }

    @Override
    public List<String> list() {
        return List.of(name);
    }

    @Override
    public long length(String wanted) throws IOException {
        return open(wanted).length();
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    @Override
    public WritableFile create(String wanted) {
        throw readOnly();
    }

    @Override
    public void rename(String from, String to) {
        throw readOnly();
    }

    @Override
    public void delete(String wanted) {
        throw readOnly();
    }

    @Override
    public void sync() {
        throw readOnly();
    }

    @Override
    public DirectoryLock lock() {
        throw readOnly();
    }

    @Override
    public String toString() {
        return handle.toString();
    }

    private static UnsupportedOperationException readOnly() {
        return new UnsupportedOperationException("a checkpoint is only read");
    }
}
