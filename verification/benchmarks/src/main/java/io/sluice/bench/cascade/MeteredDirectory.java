/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.filter.storage.Directory;
import io.sluice.filter.storage.ForwardingDirectory;
import io.sluice.filter.storage.ReadableFile;
import io.sluice.filter.storage.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;

/** Counts what goes through a directory, independently of the structure above it. Thread-safe. */
final class MeteredDirectory extends ForwardingDirectory {
    private final LongAdder pageReads = new LongAdder();
    private final LongAdder bytesRead = new LongAdder();
    private final LongAdder bytesWritten = new LongAdder();

    MeteredDirectory(Directory directory) {
        super(directory);
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
        WritableFile file = super.create(name);
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
        ReadableFile file = super.open(name);
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
}
