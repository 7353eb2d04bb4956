/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.util.FileUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Local directories for the files of filters, and the removal of what a killed process left behind.
 *
 * <pre>
 *   base/sluice-cascade-[random]/lock                 held while the process lives
 *   base/sluice-cascade-[random]/job_.._op_.._[random]  one subtask
 * </pre>
 *
 * <p>A process makes one directory under each base and holds a lock in it. When it makes the first
 * one, it looks at the siblings: directories whose lock is free have no owner any more, and are
 * deleted. User class loaders may load this class several times in one process, and closing any
 * channel on a file releases the process's lock on it. So the names of this process's directories
 * are kept in a system property, where all copies of the class see them, and their locks are never
 * tried.
 */
final class LocalDirectories {

    private static final Logger LOG = LoggerFactory.getLogger(LocalDirectories.class);

    private static final String PREFIX = "sluice-cascade-";

    private static final String LOCK = "lock";

    private static final String OWN_NAMES = "io.sluice.state.local-directories";

    /** By base directory; guarded by the class. */
    private static final Map<Path, ProcessDirectory> PROCESS = new HashMap<>();

    private LocalDirectories() {}

    /** One process's directory under a base, and the number of its users. */
    private static final class ProcessDirectory {
        private final Path path;
        private final FileChannel lockFile;
        private final FileLock lock;
        private int users;

        ProcessDirectory(Path path, FileChannel lockFile, FileLock lock) {
            this.path = path;
            this.lockFile = lockFile;
            this.lock = lock;
        }
    }

    /** One subtask's directory. Deleted with its contents when it is closed. */
    static final class Lease implements Closeable {
        private final Path base;
        private final Path path;
        private boolean closed;

        private Lease(Path base, Path path) {
            this.base = base;
            this.path = path;
        }

        Path path() {
            return path;
        }

        @Override
        public void close() throws IOException {
            if (!closed) {
                closed = true;
                try {
                    FileUtils.deleteDirectory(path.toFile());
                } finally {
                    release(base);
                }
            }
        }
    }

    /**
     * A new, empty directory for one subtask.
     *
     * @throws IOException if none of the configured directories can be written to
     */
    static Lease acquire(CascadeSettings settings, Environment env, String operator)
            throws IOException {
        String name =
                "job_"
                        + env.getJobID()
                        + "_op_"
                        + operator.replaceAll("[^a-zA-Z0-9\\-]", "_")
                        + '_'
                        + UUID.randomUUID();
        if (settings.localDirectories().isEmpty()) {
            return acquire(env.getTaskManagerInfo().getTmpWorkingDirectory().toPath(), name);
        }
        int count = settings.localDirectories().size();
        int first = ThreadLocalRandom.current().nextInt(count);
        IOException failure = null;
        for (int i = 0; i < count; i++) {
            String base = settings.localDirectories().get((first + i) % count);
            try {
                return acquire(new File(base).toPath(), name);
            } catch (IOException e) {
                LOG.warn("The local directory {} cannot be used.", base, e);
                if (failure == null) {
                    failure =
                            new IOException(
                                    "None of the directories in "
                                            + CascadeBackendOptions.LOCAL_DIRECTORIES.key()
                                            + " can be used: "
                                            + settings.localDirectories());
                }
                failure.addSuppressed(e);
            }
        }
        throw failure;
    }

    static synchronized Lease acquire(Path base, String name) throws IOException {
        Path absolute = base.toAbsolutePath().normalize();
        ProcessDirectory process = PROCESS.get(absolute);
        if (process == null) {
            Files.createDirectories(absolute);
            removeLeftovers(absolute);
            process = create(absolute);
            PROCESS.put(absolute, process);
        }
        process.users++;
        Path path = process.path.resolve(name);
        try {
            Files.createDirectories(path);
        } catch (IOException e) {
            release(absolute);
            throw e;
        }
        return new Lease(absolute, path);
    }

    /** Locked under a name that no process looks for, and only then renamed. */
    private static ProcessDirectory create(Path base) throws IOException {
        String name = PREFIX + UUID.randomUUID();
        Path unlocked = Files.createDirectory(base.resolve("." + name));
        FileChannel channel =
                FileChannel.open(
                        unlocked.resolve(LOCK),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.WRITE);
        FileLock lock = channel.lock();
        changeOwnNames(names -> names + name + ',');
        Path path = Files.move(unlocked, base.resolve(name));
        return new ProcessDirectory(path, channel, lock);
    }

    private static synchronized void release(Path base) throws IOException {
        ProcessDirectory process = PROCESS.get(base);
        if (--process.users == 0) {
            PROCESS.remove(base);
            process.lock.release();
            process.lockFile.close();
            FileUtils.deleteDirectory(process.path.toFile());
            String name = process.path.getFileName().toString();
            changeOwnNames(names -> names.replace(name + ',', ""));
        }
    }

    /** Deletes what dead processes have left. */
    private static void removeLeftovers(Path base) throws IOException {
        try (DirectoryStream<Path> siblings = Files.newDirectoryStream(base, PREFIX + "*")) {
            for (Path sibling : siblings) {
                if (!System.getProperty(OWN_NAMES, "").contains(sibling.getFileName().toString())
                        && isAbandoned(sibling)) {
                    LOG.info("Removing {}, left by a process that has ended.", sibling);
                    FileUtils.deleteDirectoryQuietly(sibling.toFile());
                }
            }
        }
    }

    private static boolean isAbandoned(Path directory) {
        Path lock = directory.resolve(LOCK);
        if (!Files.exists(lock)) {
            // Another process has begun to delete it: it got its name only after its lock.
            return true;
        }
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE);
                FileLock free = channel.tryLock()) {
            return free != null;
        } catch (IOException e) {
            LOG.warn("Cannot tell whether {} is in use; it is left alone.", directory, e);
            return false;
        }
    }

    private static void changeOwnNames(UnaryOperator<String> change) {
        Properties properties = System.getProperties();
        synchronized (properties) {
            properties.setProperty(OWN_NAMES, change.apply(properties.getProperty(OWN_NAMES, "")));
        }
    }
}
