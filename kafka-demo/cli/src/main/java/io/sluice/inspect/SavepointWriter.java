/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsSavepointStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.OperatorStreamStateHandle;
import org.apache.flink.runtime.state.StateObject;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.RelativeFileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/**
 * Writes a savepoint: a directory that refers to no file outside of it, and may be moved. Files
 * come first and the metadata last, so a directory without metadata is not a savepoint. Not
 * thread-safe.
 */
final class SavepointWriter {

    private static final int BUFFER_BYTES = 64 << 10;

    private final Path directory;
    private final FileSystem files;
    private final Map<StreamStateHandle, StreamStateHandle> copied = new HashMap<>();
    private final Set<String> names = new HashSet<>();
    private long bytes;

    private SavepointWriter(Path directory, FileSystem files) {
        this.directory = directory;
        this.files = files;
    }

    /** What writes one file. */
    @FunctionalInterface
    interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    /**
     * Makes the directory.
     *
     * @throws IOException in one line, if it is there already
     */
    static SavepointWriter create(Path directory) throws IOException {
        FileSystem files = CheckpointLocation.fileSystem(directory);
        if (files.exists(directory)) {
            throw new IOException(directory + " is there already: name a new directory");
        }
        files.mkdirs(directory);
        return new SavepointWriter(directory, files);
    }

    Path directory() {
        return directory;
    }

    /** Bytes of all files so far. */
    long bytes() {
        return bytes;
    }

    /** Removes all that was written. */
    void discard() throws IOException {
        files.delete(directory, true);
    }

    /** Writes a file. */
    StreamStateHandle write(String wanted, Content content) throws IOException {
        String name = unused(wanted);
        Path path = new Path(directory, name);
        CountingStream counting;
        try (OutputStream out =
                new BufferedOutputStream(
                        files.create(path, FileSystem.WriteMode.NO_OVERWRITE), BUFFER_BYTES)) {
            counting = new CountingStream(out);
            content.writeTo(counting);
        }
        bytes += counting.count;
        return new RelativeFileStateHandle(path, name, counting.count);
    }

    private String unused(String wanted) {
        String name = wanted;
        for (int i = 1; !names.add(name); i++) {
            name = wanted + "-" + i;
        }
        return name;
    }

    /** Copies a stream; what is in the metadata stays there. */
    StreamStateHandle copy(StreamStateHandle of) throws IOException {
        if (of instanceof ByteStreamStateHandle) {
            return of;
        }
        StreamStateHandle done = copied.get(of);
        if (done == null) {
            String name = of.maybeGetPath().map(Path::getName).orElse("state");
            done =
                    write(
                            name,
                            out -> {
                                try (InputStream in = of.openInputStream()) {
                                    in.transferTo(out);
                                }
                            });
            if (done.getStateSize() != of.getStateSize()) {
                throw new IOException(
                        of
                                + " has "
                                + done.getStateSize()
                                + " bytes, but the checkpoint says "
                                + of.getStateSize());
            }
            copied.put(of, done);
        }
        return done;
    }

    /**
     * Copies all that a subtask has, but for keyed state.
     *
     * @throws IOException if it is of a checkpoint, and no savepoint can have it
     */
    OperatorSubtaskState.Builder copyUnkeyed(OperatorSubtaskState state) throws IOException {
        if (!state.getInputChannelState().isEmpty()
                || !state.getResultSubpartitionState().isEmpty()
                || !state.getUpstreamOutputBufferState().isEmpty()) {
            throw notOfASavepoint("records in flight");
        }
        return state.toBuilder()
                .setManagedOperatorState(copyAll(state.getManagedOperatorState()))
                .setRawOperatorState(copyAll(state.getRawOperatorState()));
    }

    private StateObjectCollection<OperatorStateHandle> copyAll(
            StateObjectCollection<OperatorStateHandle> all) throws IOException {
        List<OperatorStateHandle> copies = new ArrayList<>();
        for (OperatorStateHandle handle : all) {
            if (handle.getClass() != OperatorStreamStateHandle.class) {
                throw notOfASavepoint(name(handle));
            }
            copies.add(
                    new OperatorStreamStateHandle(
                            handle.getStateNameToPartitionOffsets(),
                            copy(handle.getDelegateStateHandle())));
        }
        return new StateObjectCollection<>(copies);
    }

    /** Copies keyed state. */
    KeyedStateHandle copy(KeyedStateHandle handle) throws IOException {
        if (handle instanceof KeyGroupsSavepointStateHandle savepoint) {
            return new KeyGroupsSavepointStateHandle(
                    savepoint.getGroupRangeOffsets(), copy(savepoint.getDelegateStateHandle()));
        }
        if (handle instanceof KeyGroupsStateHandle keyGroups) {
            return new KeyGroupsStateHandle(
                    keyGroups.getGroupRangeOffsets(), copy(keyGroups.getDelegateStateHandle()));
        }
        if (handle instanceof IncrementalRemoteKeyedStateHandle incremental) {
            return new IncrementalRemoteKeyedStateHandle(
                    incremental.getBackendIdentifier(),
                    incremental.getKeyGroupRange(),
                    incremental.getCheckpointId(),
                    copyFiles(incremental.getSharedState()),
                    copyFiles(incremental.getPrivateState()),
                    copy(incremental.getMetaDataStateHandle()));
        }
        throw notOfASavepoint(name(handle));
    }

    List<HandleAndLocalPath> copyFiles(List<HandleAndLocalPath> all) throws IOException {
        List<HandleAndLocalPath> copies = new ArrayList<>();
        for (HandleAndLocalPath file : all) {
            copies.add(HandleAndLocalPath.of(copy(file.getHandle()), file.getLocalPath()));
        }
        return copies;
    }

    private static String name(StateObject object) {
        return object.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    private static IOException notOfASavepoint(String what) {
        return new IOException(
                "A has " + what + ", which a savepoint cannot have: take a savepoint of it");
    }

    /** Writes the metadata: the savepoint is complete. */
    void finish(CheckpointMetadata metadata) throws IOException {
        write(
                CheckpointLocation.METADATA,
                out -> Checkpoints.storeCheckpointMetadata(metadata, out));
    }

    /** Counts what passes; does not close the stream. */
    static final class CountingStream extends OutputStream {
        private final OutputStream out;
        private long count;

        CountingStream(OutputStream out) {
            this.out = out;
        }

        long count() {
            return count;
        }

        @Override
        public void write(int b) throws IOException {
            out.write(b);
            count++;
        }

        @Override
        public void write(byte[] from, int at, int length) throws IOException {
            out.write(from, at, length);
            count += length;
        }
    }
}
