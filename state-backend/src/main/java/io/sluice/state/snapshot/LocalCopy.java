/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.runtime.state.DirectoryStateHandle;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalLocalKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.util.FileUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A checkpoint's copy on the local disk, for Flink's local recovery: a task that is restored on the
 * same TaskManager reads it instead of the remote files.
 *
 * <pre>
 *   Flink's directory of the checkpoint/cascade-[random]/
 *     files/[level file]    a hard link to the filter's file: no bytes are copied
 *     files/[sample]        the sample that measures its error
 *     delegate/             an incremental delegate's own local copy
 *     delegate-metadata     its metadata
 *     delegate-stream       the stream of a delegate that is not incremental
 *     heap-stream        states on the heap
 * </pre>
 *
 * <p>Its handle also names the remote files, so that the next checkpoint of a locally restored task
 * need not upload them again. If the delegate has state but no local copy of it, ours would be
 * useless, so none is made. Problems with the local copy are logged, and do not harm the
 * checkpoint.
 */
@Internal
public final class LocalCopy implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(LocalCopy.class);

    private static final String DIRECTORY_PREFIX = "cascade-";
    private static final String FILES = "files";
    private static final String DELEGATE = "delegate";
    private static final String DELEGATE_METADATA = "delegate-metadata";
    private static final String DELEGATE_STREAM = "delegate-stream";
    private static final String HEAP_STREAM = "heap-stream";

    private final Path directory;
    private final List<HandleAndLocalPath> delegateFiles = new ArrayList<>();
    private long bytes;
    private boolean isKept;

    private LocalCopy(Path directory) {
        this.directory = directory;
    }

    /** A new, empty copy; null if Flink wants none, or it cannot be made. */
    @Nullable
    static LocalCopy begin(LocalRecoveryConfig config, long checkpointId, UUID backend) {
        if (!config.isLocalBackupEnabled()) {
            return null;
        }
        try {
            File parent =
                    config.getLocalStateDirectoryProvider()
                            .orElseThrow(LocalRecoveryConfig.localRecoveryNotEnabled())
                            .subtaskSpecificCheckpointDirectory(checkpointId);
            Path directory = parent.toPath().resolve(DIRECTORY_PREFIX + backend);
            FileUtils.deleteDirectory(directory.toFile());
            Files.createDirectories(directory.resolve(FILES));
            return new LocalCopy(directory);
        } catch (IOException e) {
            LOG.warn("Checkpoint {} gets no local copy.", checkpointId, e);
            return null;
        }
    }

    void add(StateFile file) throws IOException {
        Path to = file(directory, file.name());
        // Membership states share no files, but one filter may name a file twice.
        if (Files.exists(to)) {
            return;
        }
        if (file.local().isPresent()) {
            link(file.local().get(), to);
        } else {
            try (InputStream in = file.source().open()) {
                Files.copy(in, to);
            }
        }
        bytes += Files.size(to);
    }

    /** A hard link to a file that is never written again, or a copy if linking is impossible. */
    public static void link(Path from, Path to) throws IOException {
        try {
            Files.createLink(to, from);
        } catch (UnsupportedOperationException | FileSystemException e) {
            LOG.debug("No hard link from {} to {}: copying.", from, to, e);
            Files.copy(from, to);
        }
    }

    /**
     * Takes over the delegate's local copy.
     *
     * @throws IOException if its kind is unknown, or it cannot be moved
     */
    void addDelegate(KeyedStateHandle local) throws IOException {
        bytes += local.getStateSize();
        if (local instanceof IncrementalLocalKeyedStateHandle incremental) {
            Path from = incremental.getDirectoryStateHandle().getDirectory();
            Files.move(from, directory.resolve(DELEGATE));
            copy(incremental.getMetaDataStateHandle(), directory.resolve(DELEGATE_METADATA));
            delegateFiles.addAll(incremental.getSharedStateHandles());
        } else if (local instanceof KeyGroupsStateHandle stream) {
            copy(stream.getDelegateStateHandle(), directory.resolve(DELEGATE_STREAM));
        } else {
            throw new IOException(
                    "The delegate's local copy is a " + local.getClass() + ", which is not known.");
        }
    }

    /** Takes a copy of what is on the heap. */
    void addHeap(KeyedStateHandle local) throws IOException {
        bytes += local.getStateSize();
        copy(
                ((KeyGroupsStateHandle) local).getDelegateStateHandle(),
                directory.resolve(HEAP_STREAM));
    }

    private static void copy(StreamStateHandle from, Path to) throws IOException {
        try (InputStream in = from.openInputStream()) {
            Files.copy(in, to);
        }
    }

    /**
     * The handle of the finished copy, which from now on belongs to Flink.
     *
     * @param remote our files as they are in the checkpoint, by name; no placeholders
     */
    KeyedStateHandle finish(
            UUID identifier,
            KeyGroupRange range,
            long checkpointId,
            byte[] manifest,
            Map<String, UploadedFiles.Held> remote) {
        List<HandleAndLocalPath> files = new ArrayList<>(delegateFiles);
        remote.forEach(
                (name, held) ->
                        files.add(
                                HandleAndLocalPath.of(
                                        held.handle(), CompositeHandle.PREFIX + name)));
        KeyedStateHandle handle =
                new IncrementalLocalKeyedStateHandle(
                        identifier,
                        checkpointId,
                        new DirectoryStateHandle(directory, bytes),
                        range,
                        new ByteStreamStateHandle(directory + "/manifest", manifest),
                        files);
        isKept = true;
        return handle;
    }

    /** Deletes the copy, unless it is finished. */
    @Override
    public void close() {
        if (!isKept) {
            FileUtils.deleteDirectoryQuietly(directory.toFile());
        }
    }

    /** The directory of a handle that {@link #finish} returned. */
    static Optional<Path> directoryOf(KeyedStateHandle handle) {
        return handle instanceof IncrementalLocalKeyedStateHandle local
                ? Optional.of(local.getDirectoryStateHandle().getDirectory())
                        .filter(path -> path.getFileName().toString().startsWith(DIRECTORY_PREFIX))
                : Optional.empty();
    }

    static Path file(Path directory, String name) {
        return directory.resolve(FILES).resolve(name);
    }

    /** The delegate's own local handle, as it was before {@link #addDelegate}. */
    static KeyedStateHandle incrementalDelegate(
            Path directory,
            UUID identifier,
            KeyGroupRange range,
            long checkpointId,
            List<HandleAndLocalPath> files) {
        return new IncrementalLocalKeyedStateHandle(
                identifier,
                checkpointId,
                new DirectoryStateHandle(directory.resolve(DELEGATE), 0),
                range,
                fileHandle(directory.resolve(DELEGATE_METADATA)),
                files);
    }

    static StreamStateHandle delegateStream(Path directory) {
        return fileHandle(directory.resolve(DELEGATE_STREAM));
    }

    static StreamStateHandle heapStream(Path directory) {
        return fileHandle(directory.resolve(HEAP_STREAM));
    }

    private static StreamStateHandle fileHandle(Path path) {
        return new FileStateHandle(
                org.apache.flink.core.fs.Path.fromLocalFile(path.toFile()), path.toFile().length());
    }
}
