/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.disk;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.Arrays;
import org.apache.flink.core.fs.BlockLocation;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;

/** The local file system on a bad {@link Disk}. Claims to be shared, as that of checkpoints is. */
final class ChaosFileSystem extends FileSystem {
    private static final URI ROOT = URI.create(ChaosFileSystemFactory.SCHEME + ":///");

    private final LocalFileSystem local = new LocalFileSystem();
    private final Disk disk;

    ChaosFileSystem(Disk disk) {
        this.disk = disk;
    }

    private static Path local(Path path) {
        return new Path("file://" + path.toUri().getPath());
    }

    private static Path ours(Path path) {
        return new Path(ChaosFileSystemFactory.SCHEME + "://" + path.toUri().getPath());
    }

    @Override
    public Path getWorkingDirectory() {
        return ours(local.getWorkingDirectory());
    }

    @Override
    public Path getHomeDirectory() {
        return ours(local.getHomeDirectory());
    }

    @Override
    public URI getUri() {
        return ROOT;
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        disk.operation("stat", path);
        return new Status(local.getFileStatus(local(path)));
    }

    /** Unlike {@link FileSystem}'s, takes only a missing file for one. */
    @Override
    public boolean exists(Path path) throws IOException {
        try {
            return getFileStatus(path) != null;
        } catch (FileNotFoundException e) {
            return false;
        }
    }

    @Override
    public BlockLocation[] getFileBlockLocations(FileStatus file, long start, long length)
            throws IOException {
        return local.getFileBlockLocations(
                local.getFileStatus(local(file.getPath())), start, length);
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        return open(path);
    }

    @Override
    public FSDataInputStream open(Path path) throws IOException {
        disk.operation("open", path);
        return new BadInput(local.open(local(path)), path, disk);
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
        disk.operation("list", path);
        FileStatus[] files = local.listStatus(local(path));
        return files == null
                ? null
                : Arrays.stream(files).map(Status::new).toArray(FileStatus[]::new);
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
        disk.operation("delete", path);
        return local.delete(local(path), recursive);
    }

    @Override
    public boolean mkdirs(Path path) throws IOException {
        disk.operation("mkdir", path);
        return local.mkdirs(local(path));
    }

    @Override
    public FSDataOutputStream create(Path path, WriteMode mode) throws IOException {
        disk.operation("create", path);
        return new BadOutput(local.create(local(path), mode), path, disk);
    }

    @Override
    public boolean rename(Path from, Path to) throws IOException {
        disk.operation("rename", from);
        return local.rename(local(from), local(to));
    }

    @Override
    public boolean isDistributedFS() {
        return true;
    }

    /** The status of a local file, under its name here. */
    private record Status(FileStatus file) implements FileStatus {
        @Override
        public long getLen() {
            return file.getLen();
        }

        @Override
        public long getBlockSize() {
            return file.getBlockSize();
        }

        @Override
        public short getReplication() {
            return file.getReplication();
        }

        @Override
        public long getModificationTime() {
            return file.getModificationTime();
        }

        @Override
        public long getAccessTime() {
            return file.getAccessTime();
        }

        @Override
        public boolean isDir() {
            return file.isDir();
        }

        @Override
        public Path getPath() {
            return ours(file.getPath());
        }
    }
}
