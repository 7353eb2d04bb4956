/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import static java.util.Objects.requireNonNull;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.RunnableFuture;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.SnapshotType.SharingFilesStrategy;
import org.apache.flink.runtime.checkpoint.filemerging.FileMergingSnapshotManager;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.PlaceholderStreamStateHandle;
import org.apache.flink.runtime.state.SavepointResources;
import org.apache.flink.runtime.state.SnapshotExecutionType;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.SnapshotStrategy;
import org.apache.flink.runtime.state.SnapshotStrategyRunner;
import org.apache.flink.runtime.state.StateObject;
import org.apache.flink.runtime.state.StateUtil;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.util.concurrent.FutureUtils;
import org.apache.flink.util.function.ThrowingConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes checkpoints of a backend that has membership states.
 *
 * <p>Synchronous part: that of the delegate and of what is on the heap, and each filter's {@link
 * io.sluice.filter.cascade.CascadeFilter#snapshot}, which pins buffers and files; no file is read
 * or written. Asynchronous part: first buffers are written as level files, then the delegate's,
 * then files that no completed checkpoint holds are uploaded, and last the {@link
 * CompositeManifest}. What was uploaded before it was merged need not be uploaded again: it stands
 * in for the merged file. With local recovery, all files are also linked into a {@link LocalCopy}.
 *
 * <p>{@link SharingFilesStrategy} says what may be reused: {@code FORWARD_BACKWARD} (an incremental
 * checkpoint) files of earlier ones; {@code FORWARD} (a full checkpoint) none, but later ones may
 * use its files; {@code NO_SHARING} (a native savepoint) neither.
 */
@Internal
public final class CascadeSnapshotStrategy {

    private static final Logger LOG = LoggerFactory.getLogger(CascadeSnapshotStrategy.class);

    private final UUID backend = UUID.randomUUID();
    private final Identity identity;
    private final FileTransfer transfer;
    private final UploadedFiles uploaded;
    private final LocalRecoveryConfig localRecovery;
    private final LongConsumer newBytes;
    private final LongConsumer reusedBytes;

    /**
     * What does not change from checkpoint to checkpoint.
     *
     * @param keySerializer Flink's snapshot of the key serializer
     * @param delegateType name of the delegate
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Identity(
            int maxParallelism,
            KeyGroupRange range,
            String keyScheme,
            byte[] keySerializer,
            String delegateType) {

        /** Returns the manifest of a checkpoint. */
        CompositeManifest manifest(
                CompositeManifest.DelegatePart delegate,
                long[] heapOffsets,
                List<CompositeManifest.StatePart> states) {
            return new CompositeManifest(
                    maxParallelism,
                    range.getStartKeyGroup(),
                    range.getEndKeyGroup(),
                    keyScheme,
                    keySerializer,
                    delegate,
                    heapOffsets,
                    states);
        }
    }

    /**
     * @param localRecovery says whether checkpoints get a {@link LocalCopy}, and where
     * @param newBytes is told after each checkpoint how many bytes of files it uploaded
     * @param reusedBytes is told how many bytes it reused from earlier ones
     */
    public CascadeSnapshotStrategy(
            Identity identity,
            FileTransfer transfer,
            UploadedFiles uploaded,
            LocalRecoveryConfig localRecovery,
            LongConsumer newBytes,
            LongConsumer reusedBytes) {
        this.identity = identity;
        this.transfer = transfer;
        this.uploaded = uploaded;
        this.localRecovery = localRecovery;
        this.newBytes = newBytes;
        this.reusedBytes = reusedBytes;
    }

    /**
     * Runs the synchronous part.
     *
     * @param delegate begins the delegate's snapshot, or returns an empty one if there is nothing
     * @param heap begins the snapshot of what is on the heap, likewise
     * @param pin pins what the filters hold, one after the other, and passes each to its argument
     * @return the asynchronous part, to be run by any thread
     */
    public RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot(
            long checkpointId,
            long timestamp,
            CheckpointStreamFactory factory,
            CheckpointOptions options,
            Callable<RunnableFuture<SnapshotResult<KeyedStateHandle>>> delegate,
            Callable<RunnableFuture<SnapshotResult<KeyedStateHandle>>> heap,
            ThrowingConsumer<Consumer<PinnedState>, IOException> pin,
            CloseableRegistry cancelRegistry)
            throws Exception {
        SharingFilesStrategy sharing = options.getCheckpointType().getSharingFilesStrategy();
        OneSnapshot snapshot = new OneSnapshot(delegate, heap, pin, sharing);
        return new CheckpointTask(
                new SnapshotStrategyRunner<>(
                                "Cascade snapshot",
                                snapshot,
                                cancelRegistry,
                                SnapshotExecutionType.ASYNCHRONOUS)
                        .snapshot(checkpointId, timestamp, factory, options),
                snapshot::discard);
    }

    /**
     * A canonical savepoint.
     *
     * @param delegate the delegate's savepoint, which is made last
     * @param pin pins what the filters hold, one after the other, and passes each to its argument
     */
    public <K> SavepointResources<K> savepoint(
            Callable<SavepointResources<K>> delegate,
            ThrowingConsumer<Consumer<PinnedState>, IOException> pin)
            throws Exception {
        return CanonicalSavepoint.take(identity, delegate, pin);
    }

    private final class OneSnapshot
            implements SnapshotStrategy<KeyedStateHandle, CascadeSnapshotResources> {
        private final Callable<RunnableFuture<SnapshotResult<KeyedStateHandle>>> delegate;
        private final Callable<RunnableFuture<SnapshotResult<KeyedStateHandle>>> heap;
        private final ThrowingConsumer<Consumer<PinnedState>, IOException> pin;
        private final SharingFilesStrategy sharing;

        /** Null before the asynchronous part. */
        @Nullable private volatile Upload upload;

        OneSnapshot(
                Callable<RunnableFuture<SnapshotResult<KeyedStateHandle>>> delegate,
                Callable<RunnableFuture<SnapshotResult<KeyedStateHandle>>> heap,
                ThrowingConsumer<Consumer<PinnedState>, IOException> pin,
                SharingFilesStrategy sharing) {
            this.delegate = delegate;
            this.heap = heap;
            this.pin = pin;
            this.sharing = sharing;
        }

        @Override
        public CascadeSnapshotResources syncPrepareResources(long checkpointId) throws Exception {
            UploadedFiles.Reusable reusable =
                    sharing == SharingFilesStrategy.NO_SHARING
                            ? UploadedFiles.Reusable.NONE
                            : uploaded.begin(
                                    checkpointId, sharing == SharingFilesStrategy.FORWARD_BACKWARD);
            CascadeSnapshotResources resources =
                    new CascadeSnapshotResources(checkpointId, reusable, uploaded);
            boolean isComplete = false;
            try {
                resources.setDelegate(delegate.call());
                resources.setHeap(heap.call());
                pin.accept(resources::add);
                isComplete = true;
                return resources;
            } finally {
                if (!isComplete) {
                    resources.release();
                }
            }
        }

        @Override
        public SnapshotResultSupplier<KeyedStateHandle> asyncSnapshot(
                CascadeSnapshotResources resources,
                long checkpointId,
                long timestamp,
                CheckpointStreamFactory factory,
                CheckpointOptions options) {
            return registry -> {
                Upload begun = new Upload(resources, checkpointId, factory, sharing, registry);
                upload = begun;
                return begun.run();
            };
        }

        /** Deletes what was written. */
        void discard() throws IOException {
            Upload begun = upload;
            if (begun != null) {
                begun.discard();
            }
        }
    }

    /** One checkpoint's asynchronous part. */
    private final class Upload {
        private final CascadeSnapshotResources resources;
        private final long checkpointId;
        private final CheckpointStreamFactory factory;
        private final SharingFilesStrategy sharing;
        private final CloseableRegistry registry;

        /** Deletes what was written when it is closed: if the checkpoint fails. */
        private final CloseableRegistry written = new CloseableRegistry();

        private final List<PreparedState> states = new ArrayList<>();
        private final Map<String, UploadedFiles.Held> files = new LinkedHashMap<>();
        private final Map<String, UploadedFiles.Held> reused = new LinkedHashMap<>();

        /**
         * The answers of {@link #placeholder}: the last word, even if the storage changes its mind.
         */
        private final Map<String, Optional<StreamStateHandle>> placeholders = new HashMap<>();

        /** The files as they go into the handle: placeholders for what is reused. */
        private final Map<String, StreamStateHandle> handles = new LinkedHashMap<>();

        private long uploadedBytes;
        private long reusedFileBytes;

        Upload(
                CascadeSnapshotResources resources,
                long checkpointId,
                CheckpointStreamFactory factory,
                SharingFilesStrategy sharing,
                CloseableRegistry registry) {
            this.resources = resources;
            this.checkpointId = checkpointId;
            this.factory = factory;
            this.sharing = sharing;
            this.registry = registry;
        }

        SnapshotResult<KeyedStateHandle> run() throws Exception {
            boolean isComplete = false;
            try {
                SnapshotResult<KeyedStateHandle> result = write();
                isComplete = true;
                return result;
            } finally {
                if (!isComplete) {
                    discard();
                }
            }
        }

        void discard() throws IOException {
            uploaded.aborted(checkpointId);
            written.close();
        }

        /**
         * Takes note of what has to be deleted if the checkpoint fails. If it has failed already,
         * because an upload noticed that late, it is deleted at once.
         *
         * @throws IOException if it has failed already
         */
        private void wrote(StateObject part) throws IOException {
            written.registerCloseable(() -> StateUtil.discardStateObjectQuietly(part));
        }

        private SnapshotResult<KeyedStateHandle> write() throws Exception {
            // First, as the filter goes on: what is merged before it is named may be stored twice.
            for (PinnedState pinned : resources.states()) {
                states.add(prepare(pinned));
            }
            SnapshotResult<KeyedStateHandle> delegate = run(resources.delegate());
            SnapshotResult<KeyedStateHandle> heap = run(resources.heap());
            KeyedStateHandle remoteDelegate = delegate.getJobManagerOwnedSnapshot();
            KeyedStateHandle remoteHeap = heap.getJobManagerOwnedSnapshot();
            for (PreparedState state : states) {
                uploadFiles(state.files());
            }
            byte[] manifest =
                    NeedsCascadeStateBackend.before(manifest(remoteDelegate, remoteHeap).toBytes());
            StreamStateHandle manifestHandle =
                    FileTransfer.upload(
                                    () -> new ByteArrayInputStream(manifest),
                                    factory,
                                    CheckpointedStateScope.EXCLUSIVE,
                                    registry)
                            .handle();
            wrote(manifestHandle);
            IncrementalRemoteKeyedStateHandle handle =
                    CompositeHandle.join(
                            backend,
                            identity.range(),
                            checkpointId,
                            remoteDelegate,
                            remoteHeap,
                            manifestHandle,
                            handles,
                            size(remoteDelegate),
                            size(remoteHeap) + uploadedBytes + manifest.length);
            KeyedStateHandle local =
                    copyLocally(handle.getBackendIdentifier(), delegate, heap, manifest);
            if (local != null) {
                wrote(local);
            } else if (delegate.getTaskLocalSnapshot() != null) {
                // A local copy of only the delegate's part is useless.
                delegate.getTaskLocalSnapshot().discardState();
            }
            if (heap.getTaskLocalSnapshot() != null) {
                // What is in the local copy is a copy of it.
                StateUtil.discardStateObjectQuietly(heap.getTaskLocalSnapshot());
            }
            if (sharing != SharingFilesStrategy.NO_SHARING) {
                uploaded.uploaded(checkpointId, files, reused);
            }
            factory.reusePreviousStateHandle(reused.keySet().stream().map(handles::get).toList());
            newBytes.accept(uploadedBytes);
            reusedBytes.accept(reusedFileBytes);
            return local == null
                    ? SnapshotResult.of(handle)
                    : SnapshotResult.withLocalState(handle, local);
        }

        /** Writes what was only in memory, and lets stored files stand in for merged ones. */
        private PreparedState prepare(PinnedState pinned) throws IOException {
            pinned.snapshot().prepare();
            // A local copy consists of files that are there, so merged ones have no stand-ins.
            if (sharing != SharingFilesStrategy.NO_SHARING
                    && !localRecovery.isLocalBackupEnabled()) {
                pinned.snapshot()
                        .reuse(resources.reusable().mayStandIn() ? this::isStored : name -> false);
            }
            return PreparedState.of(pinned);
        }

        /**
         * Whether a file may stand in. Not what is inside the metadata: the JobManager would write
         * it again with every checkpoint, for each of many small files.
         */
        private boolean isStored(String name) {
            return placeholder(name).isPresent()
                    && held(name).handle().asBytesIfInMemory().isEmpty();
        }

        private UploadedFiles.Held held(String name) {
            return requireNonNull(resources.reusable().files().get(name), name);
        }

        private static long size(@Nullable KeyedStateHandle handle) {
            return handle == null ? 0 : handle.getCheckpointedSize();
        }

        private SnapshotResult<KeyedStateHandle> run(
                RunnableFuture<SnapshotResult<KeyedStateHandle>> future) throws Exception {
            registry.registerCloseable(() -> future.cancel(true));
            SnapshotResult<KeyedStateHandle> result = FutureUtils.runIfNotDoneAndGet(future);
            if (result == null) {
                return SnapshotResult.empty();
            }
            wrote(result);
            return result;
        }

        /** The handle of the checkpoint's local copy; null if there is none. */
        @Nullable
        private KeyedStateHandle copyLocally(
                UUID identifier,
                SnapshotResult<KeyedStateHandle> delegate,
                SnapshotResult<KeyedStateHandle> heap,
                byte[] manifest) {
            // A failed task never recovers from a savepoint.
            if (sharing == SharingFilesStrategy.NO_SHARING
                    || isOnlyRemote(delegate)
                    || isOnlyRemote(heap)) {
                return null;
            }
            try (LocalCopy copy = LocalCopy.begin(localRecovery, checkpointId, backend)) {
                if (copy == null) {
                    return null;
                }
                for (PreparedState state : states) {
                    for (StateFile file : state.files()) {
                        copy.add(file);
                    }
                }
                if (delegate.getTaskLocalSnapshot() != null) {
                    copy.addDelegate(delegate.getTaskLocalSnapshot());
                }
                if (heap.getTaskLocalSnapshot() != null) {
                    copy.addHeap(heap.getTaskLocalSnapshot());
                }
                return copy.finish(identifier, identity.range(), checkpointId, manifest, files);
            } catch (IOException e) {
                LOG.warn("Checkpoint {} gets no local copy.", checkpointId, e);
                return null;
            }
        }

        private static boolean isOnlyRemote(SnapshotResult<KeyedStateHandle> part) {
            return part.getJobManagerOwnedSnapshot() != null && part.getTaskLocalSnapshot() == null;
        }

        private void uploadFiles(List<StateFile> ofState) throws IOException {
            List<StateFile> missing = new ArrayList<>();
            for (StateFile file : ofState) {
                if (!reuse(file)) {
                    missing.add(file);
                }
            }
            CheckpointedStateScope scope =
                    sharing == SharingFilesStrategy.NO_SHARING
                            ? CheckpointedStateScope.EXCLUSIVE
                            : CheckpointedStateScope.SHARED;
            List<Callable<UploadedFiles.Held>> uploads = new ArrayList<>();
            for (StateFile file : missing) {
                uploads.add(() -> uploadOne(file, scope));
            }
            List<UploadedFiles.Held> results = transfer.runAll(uploads);
            for (int i = 0; i < missing.size(); i++) {
                String name = missing.get(i).name();
                files.put(name, results.get(i));
                handles.put(name, results.get(i).handle());
                uploadedBytes += missing.get(i).sizeBytes();
            }
        }

        private UploadedFiles.Held uploadOne(StateFile file, CheckpointedStateScope scope)
                throws IOException {
            UploadedFiles.Held held = FileTransfer.upload(file.source(), factory, scope, registry);
            wrote(held.handle());
            return held;
        }

        private boolean reuse(StateFile file) {
            Optional<StreamStateHandle> placeholder = placeholder(file.name());
            if (placeholder.isEmpty()) {
                return false;
            }
            UploadedFiles.Held held = held(file.name());
            files.put(file.name(), held);
            reused.put(file.name(), held);
            handles.put(file.name(), placeholder.get());
            reusedFileBytes += file.sizeBytes();
            return true;
        }

        /** What stands for a file that is stored already; empty if it has to be uploaded. */
        private Optional<StreamStateHandle> placeholder(String name) {
            return placeholders.computeIfAbsent(name, this::findStored);
        }

        private Optional<StreamStateHandle> findStored(String name) {
            UploadedFiles.Held held = resources.reusable().files().get(name);
            if (held == null) {
                return Optional.empty();
            }
            StreamStateHandle placeholder =
                    new PlaceholderStreamStateHandle(
                            held.handle().getStreamStateHandleID(),
                            held.handle().getStateSize(),
                            FileMergingSnapshotManager.isFileMergingHandle(held.handle()));
            return factory.couldReuseStateHandle(placeholder)
                    ? Optional.of(placeholder)
                    : Optional.empty();
        }

        private CompositeManifest manifest(
                @Nullable KeyedStateHandle delegate, @Nullable KeyedStateHandle heap) {
            return identity.manifest(
                    CompositeHandle.delegatePart(delegate, identity.delegateType()),
                    CompositeHandle.heapOffsets(heap),
                    states.stream()
                            .map(
                                    state ->
                                            state.part(
                                                    file ->
                                                            requireNonNull(files.get(file.name()))
                                                                    .crc32c()))
                            .toList());
        }
    }
}
