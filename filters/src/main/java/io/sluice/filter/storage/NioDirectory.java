/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.storage;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A directory of the local file system. */
public final class NioDirectory implements Directory {

    /** How files are read. */
    public enum Reads {

        /** Through the operating system's page cache. */
        CACHED,

        /**
         * From the device, bypassing the operating system's page cache, where position, length and
         * memory address are multiples of {@value NioReadableFile#ALIGNMENT}; otherwise cached. For
         * measurements that must not benefit from uncounted memory.
         */
        DIRECT
    }

    /** Never listed; begins with a dot so that no other file has this name. */
    private static final String LOCK_FILE = ".lock";

    private final Path path;
    private final Reads reads;

    /** Opens {@code path} for cached reading; creates it, and what is above it, if missing. */
    public NioDirectory(Path path) throws IOException {
        this(path, Reads.CACHED);
    }

    /** Opens {@code path}; creates it, and what is above it, if missing. */
    public NioDirectory(Path path, Reads reads) throws IOException {
        this.path = Files.createDirectories(path);
        this.reads = reads;
    }

    @Override
    public WritableFile create(String name) throws IOException {
        Path file = resolve(name);
        return new NioWritableFile(
                file,
                FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
    }

    @Override
    public ReadableFile open(String name) throws IOException {
        return new NioReadableFile(resolve(name), reads == Reads.DIRECT);
    }

    @Override
    public List<String> list() throws IOException {
        try (Stream<Path> files = Files.list(path)) {
            return files.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                    .map(file -> file.getFileName().toString())
                    .filter(name -> !name.startsWith("."))
                    .sorted()
                    .collect(Collectors.toList());
        }
    }

    @Override
    public long length(String name) throws IOException {
        return Files.size(resolve(name));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Path source = resolve(from);
        Path target = resolve(to);
        // An atomic move may replace its target. Only the holder of the lock renames, so the target
        // cannot appear between the check and the move.
        if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileAlreadyExistsException(target.toString());
        }
        Files.move(source, target, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void delete(String name) throws IOException {
        Files.delete(resolve(name));
    }

    @Override
    public void sync() throws IOException {
        try (FileChannel directory = FileChannel.open(path, StandardOpenOption.READ)) {
            directory.force(true);
        }
    }

    @Override
    public DirectoryLock lock() throws IOException {
        FileChannel channel =
                FileChannel.open(
                        path.resolve(LOCK_FILE),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
        FileLock lock = null;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            // Held in this process: the same as held by another one.
            lock = null;
        } finally {
            if (lock == null) {
                channel.close();
            }
        }
        if (lock == null) {
            throw new DirectoryLockedException(toString());
        }
        // Closing the channel releases the lock. The file stays: deleting it would let two others
        // lock two different files of this name.
        return channel::close;
    }

    /** Where the files are. */
    public Path path() {
        return path;
    }

    @Override
    public String toString() {
        return path.toString();
    }

    private Path resolve(String name) {
        FileNames.check(name);
        return path.resolve(name);
    }
}
