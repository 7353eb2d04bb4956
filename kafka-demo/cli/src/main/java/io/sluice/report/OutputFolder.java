/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.report;

import io.sluice.flink.testkit.local.Directories;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder of the results, containing a working folder for everything that is not a result;
 * {@link #close()} removes the working folder, and so does an interrupted process.
 */
public final class OutputFolder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OutputFolder.class);

    private static final String WORK_PREFIX = ".sluice-work-";
    private static final long BYTES_PER_MEGABYTE = 1_000_000;

    /** With less free space than this, a failure is blamed on the full disk. */
    private static final long FULL_BYTES = 16 * BYTES_PER_MEGABYTE;

    private final Path path;
    private final Path work;
    private final Thread cleanUp;

    private OutputFolder(Path path, Path work) {
        this.path = path;
        this.work = work;
        this.cleanUp = new Thread(this::removeWork, "sluice-clean-up");
    }

    /**
     * Creates the folder if necessary, and makes sure that it is writable.
     *
     * @throws IOException with what to do, if it cannot
     */
    public static OutputFolder open(Path path) throws IOException {
        Path work;
        try {
            Files.createDirectories(path);
            work = Files.createTempDirectory(path, WORK_PREFIX);
        } catch (FileAlreadyExistsException e) {
            throw new IOException(path + " is not a folder: give another one with --out", e);
        } catch (IOException e) {
            throw new IOException(
                    "cannot write into "
                            + path
                            + " ("
                            + reason(e)
                            + "): make it writable, or give another folder with --out",
                    e);
        }
        OutputFolder folder = new OutputFolder(path, work);
        Runtime.getRuntime().addShutdownHook(folder.cleanUp);
        return folder;
    }

    /** Exceptions of the file system have the path as their message. */
    private static String reason(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        return e instanceof FileSystemException system && system.getReason() != null
                ? system.getReason()
                : "it cannot be made";
    }

    /**
     * Checks that about {@code bytes} can be written.
     *
     * @throws IOException with what to do, if there is less space
     */
    public void requireSpace(long bytes) throws IOException {
        long free = Files.getFileStore(work).getUsableSpace();
        if (free < bytes) {
            throw new IOException(
                    "the run needs about "
                            + bytes / BYTES_PER_MEGABYTE
                            + " MB in "
                            + path
                            + ", but only "
                            + free / BYTES_PER_MEGABYTE
                            + " MB are free: free some, or give another folder with --out");
        }
    }

    /**
     * The failure as the user should see it: a full disk causes a different exception in each
     * place.
     */
    public IOException explain(IOException failure) throws IOException {
        if (Files.getFileStore(work).getUsableSpace() >= FULL_BYTES) {
            return failure;
        }
        return new IOException(
                "no room is left in " + path + ": free some, or give another folder with --out",
                failure);
    }

    /** Where the results go. */
    public Path path() {
        return path;
    }

    /** For everything that is not a result. */
    public Path work() {
        return work;
    }

    /**
     * Moves finished files from the working folder to the results, replacing older ones. They are
     * completely written and moving takes no space, so either all are moved or none.
     */
    public void publish(List<String> names) throws IOException {
        for (String name : names) {
            Files.move(
                    work.resolve(name),
                    path.resolve(name),
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private void removeWork() {
        try {
            Directories.deleteRecursively(work);
        } catch (IOException e) {
            LOG.warn("{} could not be removed", work, e);
        }
    }

    @Override
    public void close() {
        removeWork();
        try {
            Runtime.getRuntime().removeShutdownHook(cleanUp);
        } catch (IllegalStateException e) {
            LOG.debug("The process is ending already", e);
        }
    }
}
