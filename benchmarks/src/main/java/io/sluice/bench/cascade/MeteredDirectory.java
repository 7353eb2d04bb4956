/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.filter.storage.Directory;
import io.sluice.filter.storage.DirectoryLock;
import io.sluice.filter.storage.ReadableFile;
import io.sluice.filter.storage.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Counts what goes through a directory, independently of the structure above it. Thread-safe. */
final class MeteredDirectory implements Directory {
    private final Directory directory;
    private final LongAdder pageReads = new LongAdder();
    private final LongAdder bytesRead = new LongAdder();
    private final LongAdder bytesWritten = new LongAdder();

    MeteredDirectory(Directory directory) {
        this.directory = directory;
    }

    /** Reads of a single page, as lookups make them. */
    long pageReads() {
        return pageReads.sum();
    }

    long bytesRead() {
        return bytesRead.sum();
    }

    long bytesWritten() {
        return bytesWritten.sum();
    }

    @Override
    public WritableFile create(String name) throws IOException {
        WritableFile file = directory.create(name);
        return new WritableFile() {
            @Override
            public void write(ByteBuffer bytes) throws IOException {
                bytesWritten.add(bytes.remaining());
                file.write(bytes);
            }

            @Override
            public void sync() throws IOException {
                file.sync();
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }

    @Override
    public ReadableFile open(String name) throws IOException {
        ReadableFile file = directory.open(name);
        return new ReadableFile() {
            @Override
            public int read(long position, ByteBuffer into) throws IOException {
                if (into.remaining() == DirectFile.PAGE_BYTES) {
                    pageReads.increment();
                }
                int read = file.read(position, into);
                bytesRead.add(read);
                return read;
            }

            @Override
            public long length() throws IOException {
                return file.length();
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }

    @Override
    public List<String> list() throws IOException {
        return directory.list();
    }

    @Override
    public long length(String name) throws IOException {
        return directory.length(name);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        directory.rename(from, to);
    }

    @Override
    public void delete(String name) throws IOException {
        directory.delete(name);
    }

    @Override
    public void sync() throws IOException {
        directory.sync();
    }

    @Override
    public DirectoryLock lock() throws IOException {
        return directory.lock();
    }

    @Override
    public String toString() {
        return directory.toString();
    }
}
