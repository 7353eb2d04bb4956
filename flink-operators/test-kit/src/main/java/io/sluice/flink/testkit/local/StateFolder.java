/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.testkit.local;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Experimental;

/**
 * A folder that holds a job's checkpoints and savepoints between the runs of a process. One process
 * at a time has it: the operating system releases it when the process ends, however it ends.
 */
@Experimental
public final class StateFolder implements AutoCloseable {
    private static final String LOCK = "lock";
    private static final String METADATA = "_metadata";

    private final Path path;
    private final FileChannel channel;
    private final FileLock lock;

    private StateFolder(Path path, FileChannel channel, FileLock lock) {
        this.path = path;
        this.channel = channel;
        this.lock = lock;
    }

    /**
     * Takes the folder, and makes it if necessary.
     *
     * @param option that names it, for messages
     * @throws IOException if another process has it, or it cannot be written
     */
    public static StateFolder open(Path folder, String option) throws IOException {
        Path path = folder.toAbsolutePath();
        try {
            Files.createDirectories(path);
        } catch (FileAlreadyExistsException e) {
            throw new IOException(option + " " + folder + " is not a folder: name another", e);
        } catch (IOException e) {
            throw unwritable(folder, option, e);
        }
        FileChannel channel;
        try {
            channel =
                    FileChannel.open(
                            path.resolve(LOCK),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw unwritable(folder, option, e);
        }
        FileLock lock = tryLock(channel);
        if (lock == null) {
            channel.close();
            throw new IOException(
                    option
                            + " "
                            + folder
                            + " is in use by another run: stop that one, or name another folder");
        }
        return new StateFolder(path, channel, lock);
    }

    private static IOException unwritable(Path folder, String option, IOException e) {
        return new IOException(
                option
                        + " "
                        + folder
                        + " cannot be written ("
                        + e.getClass().getSimpleName()
                        + "): make it writable, or name another folder",
                e);
    }

    @Nullable
    private static FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Where checkpoints go, in a folder for each run. */
    Path checkpoints() {
        return path.resolve("checkpoints");
    }

    /** Where savepoints go. */
    Path savepoints() {
        return path.resolve("savepoints");
    }

    /**
     * The newest complete checkpoint or savepoint, as a path that Flink restores from. Flink writes
     * the file of metadata last, so one without it was cut short.
     */
    public Optional<String> newest() throws IOException {
        List<Path> complete = new ArrayList<>();
        for (Path run : foldersIn(checkpoints())) {
            complete.addAll(foldersIn(run));
        }
        complete.addAll(foldersIn(savepoints()));
        complete.removeIf(candidate -> !Files.isRegularFile(candidate.resolve(METADATA)));
        return complete.stream()
                .max(Comparator.comparingLong(StateFolder::written))
                .map(newest -> newest.toUri().toString());
    }

    private static long written(Path checkpoint) {
        return checkpoint.resolve(METADATA).toFile().lastModified();
    }

    private static List<Path> foldersIn(Path parent) throws IOException {
        if (!Files.isDirectory(parent)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(parent)) {
            return entries.filter(Files::isDirectory).toList();
        }
    }

    @Override
    public void close() throws IOException {
        lock.release();
        channel.close();
    }
}
