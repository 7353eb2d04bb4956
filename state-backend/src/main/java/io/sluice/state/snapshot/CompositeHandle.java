/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import io.sluice.state.snapshot.CompositeManifest.DelegateKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.runtime.state.AbstractIncrementalStateHandle;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * The delegate's files and ours in one handle. The metadata of a checkpoint holds only Flink's own
 * kinds of handle, one for each keyed backend, so ours is an {@link
 * IncrementalRemoteKeyedStateHandle} with the files of both, distinguished by a prefix of their
 * names.
 *
 * <table>
 *   <caption>Parts</caption>
 *   <tr><th>list</th><th>name</th><th>what</th></tr>
 *   <tr><td>shared</td><td>{@code cascade/<file>}</td><td>a level file or a sample</td></tr>
 *   <tr><td>metadata</td><td></td><td>{@link CompositeManifest}</td></tr>
 *   <tr><td>private</td><td>{@code cascade/delegate-metadata}</td><td>metadata of the delegate's
 *       incremental handle</td></tr>
 *   <tr><td>private</td><td>{@code cascade/delegate-stream}</td><td>the stream of a delegate that
 *       has no incremental handle</td></tr>
 *   <tr><td>private</td><td>{@code cascade/heap-stream}</td><td>states on the
 *       heap</td></tr>
 *   <tr><td>both</td><td>without the prefix</td><td>the delegate's files, under its names</td></tr>
 * </table>
 *
 * <p>In a {@link LocalCopy} the files of both lie next to the manifest on the local disk, and the
 * list of shared files says where they are in the checkpoint.
 *
 * <p>A backend other than this one reads our manifest as its own metadata and fails, instead of
 * silently losing the membership states: {@link NeedsCascadeStateBackend}.
 */
@Internal
public final class CompositeHandle implements StoredParts {

    /** Prefix of our files' names. */
    static final String PREFIX = "cascade/";

    private static final String DELEGATE_METADATA = PREFIX + "delegate-metadata";
    private static final String DELEGATE_STREAM = PREFIX + "delegate-stream";

    private static final String HEAP_STREAM = PREFIX + "heap-stream";

    private final AbstractIncrementalStateHandle handle;

    /** Directory of the local copy; null if everything is remote. */
    @Nullable private final Path localDirectory;

    @Nullable private final StreamStateHandle delegateMetadata;
    @Nullable private final StreamStateHandle delegateStream;
    @Nullable private final StreamStateHandle heapStream;
    private final Map<String, StreamStateHandle> files = new LinkedHashMap<>();
    private final List<HandleAndLocalPath> delegateShared = new ArrayList<>();
    private final List<HandleAndLocalPath> delegatePrivate = new ArrayList<>();

    private CompositeHandle(
            AbstractIncrementalStateHandle handle,
            List<HandleAndLocalPath> privates,
            @Nullable Path localDirectory) {
        this.handle = handle;
        this.localDirectory = localDirectory;
        this.delegateMetadata = find(privates, DELEGATE_METADATA).orElse(null);
        this.delegateStream = find(privates, DELEGATE_STREAM).orElse(null);
        this.heapStream = find(privates, HEAP_STREAM).orElse(null);
        for (HandleAndLocalPath file : handle.getSharedStateHandles()) {
            if (file.getLocalPath().startsWith(PREFIX)) {
                files.put(file.getLocalPath().substring(PREFIX.length()), file.getHandle());
            } else {
                delegateShared.add(file);
            }
        }
        privates.stream()
                .filter(file -> !file.getLocalPath().startsWith(PREFIX))
                .forEach(delegatePrivate::add);
    }

    /** The parts of a handle, if it is ours: of a checkpoint, or of its local copy. */
    public static Optional<CompositeHandle> of(KeyedStateHandle handle) {
        if (handle instanceof IncrementalRemoteKeyedStateHandle remote && isOurs(remote)) {
            return Optional.of(new CompositeHandle(remote, remote.getPrivateState(), null));
        }
        return LocalCopy.directoryOf(handle)
                .map(
                        directory ->
                                new CompositeHandle(
                                        (AbstractIncrementalStateHandle) handle,
                                        List.of(),
                                        directory));
    }

    /**
     * Whether one of the names has our prefix. If filters and delegate are all empty, the handle
     * has no files at all, unlike any handle of RocksDB.
     */
    private static boolean isOurs(IncrementalRemoteKeyedStateHandle handle) {
        List<HandleAndLocalPath> files = new ArrayList<>(handle.getSharedState());
        files.addAll(handle.getPrivateState());
        return files.isEmpty()
                || files.stream().anyMatch(file -> file.getLocalPath().startsWith(PREFIX));
    }

    private static Optional<StreamStateHandle> find(
            List<HandleAndLocalPath> privates, String name) {
        return privates.stream()
                .filter(file -> file.getLocalPath().equals(name))
                .map(HandleAndLocalPath::getHandle)
                .findFirst();
    }

    /** What kind of part a delegate's handle makes. */
    static CompositeManifest.DelegatePart delegatePart(
            @Nullable KeyedStateHandle delegate, String type) {
        if (delegate == null) {
            return new CompositeManifest.DelegatePart(DelegateKind.NONE, type, new long[0]);
        }
        if (delegate instanceof IncrementalRemoteKeyedStateHandle) {
            return new CompositeManifest.DelegatePart(DelegateKind.INCREMENTAL, type, new long[0]);
        }
        if (delegate.getClass() == KeyGroupsStateHandle.class) {
            return new CompositeManifest.DelegatePart(
                    DelegateKind.STREAM, type, offsets((KeyGroupsStateHandle) delegate));
        }
        throw new IllegalStateException(
                "The delegate gave a handle of "
                        + delegate.getClass()
                        + ", which cannot be put beside level files.");
    }

    private static long[] offsets(KeyGroupsStateHandle stream) {
        KeyGroupRangeOffsets offsets = stream.getGroupRangeOffsets();
        long[] list = new long[offsets.getKeyGroupRange().getNumberOfKeyGroups()];
        for (int i = 0; i < list.length; i++) {
            list[i] = offsets.getKeyGroupOffset(offsets.getKeyGroupRange().getKeyGroupId(i));
        }
        return list;
    }

    /** The offsets of the key groups in the stream of the heap, if there is one. */
    static long[] heapOffsets(@Nullable KeyedStateHandle heap) {
        if (heap == null) {
            return new long[0];
        }
        if (heap.getClass() != KeyGroupsStateHandle.class) {
            throw new IllegalStateException(
                    "What is on the heap was stored with a handle of "
                            + heap.getClass()
                            + ", which cannot be put beside level files.");
        }
        return offsets((KeyGroupsStateHandle) heap);
    }

    /**
     * Joins the delegate's handle and ours.
     *
     * @param heap has what is on the heap; null if there is nothing
     * @param files ours, by their names
     * @param bytesOfDelegate what the delegate newly wrote for this checkpoint
     * @param bytesOfOurs what we newly wrote
     */
    static IncrementalRemoteKeyedStateHandle join(
            UUID backend,
            KeyGroupRange range,
            long checkpointId,
            @Nullable KeyedStateHandle delegate,
            @Nullable KeyedStateHandle heap,
            StreamStateHandle manifest,
            Map<String, StreamStateHandle> files,
            long bytesOfDelegate,
            long bytesOfOurs) {
        List<HandleAndLocalPath> shared = new ArrayList<>();
        List<HandleAndLocalPath> privates = new ArrayList<>();
        UUID identifier = backend;
        if (delegate instanceof IncrementalRemoteKeyedStateHandle incremental) {
            // The delegate knows its earlier files by this identifier.
            identifier = incremental.getBackendIdentifier();
            shared.addAll(incremental.getSharedState());
            privates.addAll(incremental.getPrivateState());
            privates.add(
                    HandleAndLocalPath.of(incremental.getMetaDataStateHandle(), DELEGATE_METADATA));
        } else if (delegate instanceof KeyGroupsStateHandle stream) {
            privates.add(HandleAndLocalPath.of(stream.getDelegateStateHandle(), DELEGATE_STREAM));
        }
        if (heap != null) {
            privates.add(
                    HandleAndLocalPath.of(
                            ((KeyGroupsStateHandle) heap).getDelegateStateHandle(), HEAP_STREAM));
        }
        files.forEach((name, file) -> shared.add(HandleAndLocalPath.of(file, PREFIX + name)));
        return new IncrementalRemoteKeyedStateHandle(
                identifier,
                range,
                checkpointId,
                shared,
                privates,
                manifest,
                bytesOfDelegate + bytesOfOurs);
    }

    /**
     * Makes a handle like another one of ours, with the same part of the delegate.
     *
     * @param manifest what describes the parts, after its preamble
     * @param files of the membership states, by their names
     */
    public static IncrementalRemoteKeyedStateHandle with(
            IncrementalRemoteKeyedStateHandle handle,
            StreamStateHandle manifest,
            Map<String, StreamStateHandle> files) {
        List<HandleAndLocalPath> shared = new ArrayList<>();
        handle.getSharedState().stream()
                .filter(file -> !file.getLocalPath().startsWith(PREFIX))
                .forEach(shared::add);
        files.forEach((name, file) -> shared.add(HandleAndLocalPath.of(file, PREFIX + name)));
        return new IncrementalRemoteKeyedStateHandle(
                handle.getBackendIdentifier(),
                handle.getKeyGroupRange(),
                handle.getCheckpointId(),
                shared,
                handle.getPrivateState(),
                manifest);
    }

    /** Where to read the {@link CompositeManifest}. */
    public StreamStateHandle manifest() {
        return handle.getMetaDataStateHandle();
    }

    @Override
    public long checkpointId() {
        return handle.getCheckpointId();
    }

    @Override
    public KeyGroupRange keyGroupRange() {
        return handle.getKeyGroupRange();
    }

    /** The files of all membership states as they are in the checkpoint, by name. */
    @Override
    public Map<String, StreamStateHandle> files() {
        return files;
    }

    /** Where the local copy of a file is; empty if there is none. */
    @Override
    public Optional<Path> localFile(String name) {
        return Optional.ofNullable(localDirectory)
                .map(directory -> LocalCopy.file(directory, name));
    }

    /** The delegate's part that lies in {@code wanted}; empty if it has nothing there. */
    @Override
    public Optional<KeyedStateHandle> delegate(
            CompositeManifest.DelegatePart part, KeyGroupRange wanted) {
        return switch (part.kind()) {
            case NONE -> Optional.empty();
            case INCREMENTAL -> Optional.of(incrementalDelegate());
            case STREAM ->
                    stream(
                            part.offsets(),
                            localDirectory != null
                                    ? LocalCopy.delegateStream(localDirectory)
                                    : present(delegateStream, DELEGATE_STREAM),
                            wanted);
        };
    }

    @Override
    public Optional<KeyedStateHandle> heap(long[] offsets, KeyGroupRange wanted) {
        return offsets.length == 0
                ? Optional.empty()
                : stream(
                        offsets,
                        localDirectory != null
                                ? LocalCopy.heapStream(localDirectory)
                                : present(heapStream, HEAP_STREAM),
                        wanted);
    }

    private Optional<KeyedStateHandle> stream(
            long[] offsets, StreamStateHandle stream, KeyGroupRange wanted) {
        return Optional.ofNullable(
                new KeyGroupsStateHandle(
                                new KeyGroupRangeOffsets(handle.getKeyGroupRange(), offsets),
                                stream)
                        .getIntersection(wanted));
    }

    private KeyedStateHandle incrementalDelegate() {
        return localDirectory != null
                ? LocalCopy.incrementalDelegate(
                        localDirectory,
                        handle.getBackendIdentifier(),
                        handle.getKeyGroupRange(),
                        handle.getCheckpointId(),
                        delegateShared)
                : IncrementalRemoteKeyedStateHandle.restore(
                        handle.getBackendIdentifier(),
                        handle.getKeyGroupRange(),
                        handle.getCheckpointId(),
                        delegateShared,
                        delegatePrivate,
                        present(delegateMetadata, DELEGATE_METADATA),
                        handle.getCheckpointedSize(),
                        handle.getStateHandleId());
    }

    private static StreamStateHandle present(@Nullable StreamStateHandle part, String name) {
        if (part == null) {
            throw new IllegalArgumentException(
                    "The checkpoint has no part '" + name + "', which its manifest names.");
        }
        return part;
    }

    /** All handles, for messages. */
    @Override
    public String toString() {
        return "CompositeHandle{checkpoint "
                + handle.getCheckpointId()
                + ", key groups "
                + handle.getKeyGroupRange()
                + ", files "
                + files.size()
                + ", files of the delegate "
                + Stream.concat(delegateShared.stream(), delegatePrivate.stream()).count()
                + '}';
    }
}
