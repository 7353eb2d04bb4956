/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.disk;

import java.io.IOException;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.Path;

/** Reads from a bad disk. */
final class BadInput extends FSDataInputStream {
    private final FSDataInputStream file;
    private final Path path;
    private final Disk disk;

    BadInput(FSDataInputStream file, Path path, Disk disk) {
        this.file = file;
        this.path = path;
        this.disk = disk;
    }

    @Override
    public void seek(long position) throws IOException {
        file.seek(position);
    }

    @Override
    public long getPos() throws IOException {
        return file.getPos();
    }

    @Override
    public int read() throws IOException {
        disk.operation("read", path);
        return file.read();
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        disk.operation("read", path);
        return file.read(bytes, offset, length);
    }

    @Override
    public int available() throws IOException {
        return file.available();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
