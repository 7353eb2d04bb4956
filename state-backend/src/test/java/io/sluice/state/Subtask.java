/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateBackendParametersImpl;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.TestLocalRecoveryConfig;
import org.apache.flink.runtime.state.TestTaskStateManagerBuilder;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStreamFactory;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.runtime.util.TestingTaskManagerRuntimeInfo;
import org.apache.flink.streaming.api.operators.StreamOperatorStateHandler;
import org.apache.flink.util.IOUtils;

/** A keyed backend and the task around it, in its own directory. */
final class Subtask<K> implements AutoCloseable {

    static final int MAX_PARALLELISM = 16;

    private final MockEnvironment environment;
    private final CloseableRegistry closeables = new CloseableRegistry();
    private final AbstractKeyedStateBackend<K> backend;
    private final Path directory;

    Subtask(
            CascadeStateBackend stateBackend,
            TypeSerializer<K> keySerializer,
            int maxParallelism,
            Path directory,
            List<KeyedStateHandle> handles)
            throws Exception {
        this(
                stateBackend,
                keySerializer,
                maxParallelism,
                directory,
                handles,
                TestLocalRecoveryConfig.disabled(),
                new UnregisteredMetricsGroup());
    }

    Subtask(
            CascadeStateBackend stateBackend,
            TypeSerializer<K> keySerializer,
            int maxParallelism,
            Path directory,
            List<KeyedStateHandle> handles,
            LocalRecoveryConfig localRecovery,
            MetricGroup metrics)
            throws Exception {
        this.directory = directory;
        Files.createDirectories(local(directory));
        environment =
                new MockEnvironmentBuilder()
                        .setMaxParallelism(maxParallelism)
                        .setManagedMemorySize(32 << 20)
                        .setTaskStateManager(
                                new TestTaskStateManagerBuilder()
                                        .setLocalRecoveryConfig(localRecovery)
                                        .build())
                        .setTaskManagerRuntimeInfo(
                                new TestingTaskManagerRuntimeInfo(
                                        new Configuration(),
                                        new String[] {local(directory).toString()},
                                        "localhost",
                                        local(directory).toFile()))
                        .build();
        try {
            backend =
                    stateBackend.createKeyedStateBackend(
                            new KeyedStateBackendParametersImpl<>(
                                    environment,
                                    new JobID(),
                                    "operator",
                                    keySerializer,
                                    maxParallelism,
                                    new KeyGroupRange(0, maxParallelism - 1),
                                    environment.getTaskKvStateRegistry(),
                                    TtlTimeProvider.DEFAULT,
                                    metrics,
                                    handles,
                                    closeables));
        } catch (Throwable failure) {
            environment.close();
            throw failure;
        }
    }

    /** A subtask of longs, with {@link #MAX_PARALLELISM}. */
    static Subtask<Long> ofLongs(
            CascadeStateBackend stateBackend, Path directory, List<KeyedStateHandle> handles)
            throws Exception {
        return new Subtask<>(
                stateBackend, LongSerializer.INSTANCE, MAX_PARALLELISM, directory, handles);
    }

    static Subtask<Long> ofLongs(String delegate, Path directory, List<KeyedStateHandle> handles)
            throws Exception {
        return ofLongs(stateBackend(delegate), directory, handles);
    }

    /** Where its local files are. */
    static Path local(Path directory) {
        return directory.resolve("local");
    }

    /** Where its checkpoints are. */
    static Path checkpoints(Path directory) {
        return directory.resolve("checkpoints");
    }

    static CascadeStateBackend stateBackend(String delegate) {
        return new CascadeStateBackend()
                .configure(configuration(delegate), Subtask.class.getClassLoader());
    }

    static Configuration configuration(String delegate) {
        return new Configuration().set(CascadeBackendOptions.DELEGATE, delegate);
    }

    AbstractKeyedStateBackend<K> backend() {
        return backend;
    }

    <V> ValueState<V> state(ValueStateDescriptor<V> descriptor) throws Exception {
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
    }

    /** A checkpoint that is known to {@code registry}, which holds the files of earlier ones. */
    KeyedStateHandle checkpoint(long id, SharedStateRegistry registry) throws Exception {
        KeyedStateHandle handle = run(begin(id));
        handle.registerSharedStates(registry, id);
        return handle;
    }

    /** A completed checkpoint that is written through {@code streams}. */
    KeyedStateHandle complete(
            long id, SharedStateRegistry registry, CheckpointStreamFactory streams)
            throws Exception {
        KeyedStateHandle handle =
                run(
                        backend.snapshot(
                                id,
                                id,
                                streams,
                                new CheckpointOptions(
                                        CheckpointType.CHECKPOINT,
                                        CheckpointStorageLocationReference.getDefault())));
        handle.registerSharedStates(registry, id);
        registry.unregisterUnusedState(id);
        ((CheckpointListener) backend).notifyCheckpointComplete(id);
        return handle;
    }

    /** The synchronous part of a checkpoint; returns the asynchronous one. */
    RunnableFuture<SnapshotResult<KeyedStateHandle>> begin(long id) throws Exception {
        return begin(id, CheckpointType.CHECKPOINT);
    }

    RunnableFuture<SnapshotResult<KeyedStateHandle>> begin(long id, SnapshotType type)
            throws Exception {
        CheckpointOptions options =
                new CheckpointOptions(type, CheckpointStorageLocationReference.getDefault());
        return backend.snapshot(id, id, streams(), options);
    }

    KeyedStateHandle canonicalSavepoint(long id) throws Exception {
        CheckpointOptions options =
                new CheckpointOptions(
                        SavepointType.savepoint(SavepointFormatType.CANONICAL),
                        CheckpointStorageLocationReference.getDefault());
        return run(
                StreamOperatorStateHandler.prepareCanonicalSavepoint(backend, closeables)
                        .snapshot(id, id, streams(), options));
    }

    private static KeyedStateHandle run(RunnableFuture<SnapshotResult<KeyedStateHandle>> part)
            throws Exception {
        part.run();
        return part.get().getJobManagerOwnedSnapshot();
    }

    private CheckpointStreamFactory streams() throws Exception {
        Path files = Files.createDirectories(checkpoints(directory));
        org.apache.flink.core.fs.Path path = new org.apache.flink.core.fs.Path(files.toUri());
        return new FsCheckpointStreamFactory(
                LocalFileSystem.getSharedInstance(), path, path, 0, 4096);
    }

    @Override
    public void close() throws IOException {
        closeables.close();
        backend.close();
        backend.dispose();
        IOUtils.closeQuietly(environment);
    }
}
