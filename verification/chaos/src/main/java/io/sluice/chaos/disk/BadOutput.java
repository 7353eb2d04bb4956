/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.disk;

import java.io.IOException;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.Path;

/** Writes to a bad disk, which may take a part and fail then. */
final class BadOutput extends FSDataOutputStream {
    private final FSDataOutputStream file;
    private final Path path;
    private final Disk disk;

    BadOutput(FSDataOutputStream file, Path path, Disk disk) {
        this.file = file;
        this.path = path;
        this.disk = disk;
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        disk.operation("write", path);
        int room = disk.room(length);
        file.write(bytes, offset, room);
        if (room < length) {
            throw disk.noSpace(path);
        }
    }

    @Override
    public long getPos() throws IOException {
        return file.getPos();
    }

    @Override
    public void flush() throws IOException {
        file.flush();
    }

    @Override
    public void sync() throws IOException {
        disk.operation("sync", path);
        file.sync();
    }

    @Override
    public void close() throws IOException {
        try {
            disk.operation("close", path);
        } finally {
            file.close();
        }
    }
}
