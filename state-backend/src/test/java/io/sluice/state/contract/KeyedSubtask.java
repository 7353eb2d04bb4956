/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import io.sluice.flink.testkit.process.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateBackendParametersImpl;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.runtime.util.TestingTaskManagerRuntimeInfo;
import org.apache.flink.streaming.api.operators.StreamOperatorStateHandler;
import org.apache.flink.util.IOUtils;

/**
 * One subtask's keyed state and the task around it, with its own directories and managed memory.
 *
 * @param <K> the type of the keys
 */
final class KeyedSubtask<K> {
    private static final long MANAGED_MEMORY_BYTES = 32 << 20;

    private final MockEnvironment environment;
    private final CloseableRegistry closeables = new CloseableRegistry();
    private final Gauges gauges = new Gauges();
    private final CheckpointableKeyedStateBackend<K> backend;

    /**
     * @param directory of the task manager's temporary files; created if it is missing
     * @param handles what to restore; empty for a fresh start
     */
    KeyedSubtask(
            StateBackend stateBackend,
            TypeSerializer<K> keySerializer,
            int maxParallelism,
            KeyGroupRange keyGroups,
            TtlTimeProvider time,
            Path directory,
            List<KeyedStateHandle> handles)
            throws Exception {
        Files.createDirectories(directory);
        environment =
                new MockEnvironmentBuilder()
                        .setTaskName("task under test")
                        .setMaxParallelism(maxParallelism)
                        .setManagedMemorySize(MANAGED_MEMORY_BYTES)
                        .setTaskManagerRuntimeInfo(
                                new TestingTaskManagerRuntimeInfo(
                                        new Configuration(),
                                        new String[] {directory.toString()},
                                        "localhost",
                                        directory.toFile()))
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
                                    keyGroups,
                                    environment.getTaskKvStateRegistry(),
                                    time,
                                    gauges,
                                    handles,
                                    closeables));
        } catch (Throwable failure) {
            environment.close();
            throw failure;
        }
    }

    Gauges gauges() {
        return gauges;
    }

    CheckpointableKeyedStateBackend<K> backend() {
        return backend;
    }

    /**
     * Runs the synchronous part of a snapshot, and returns the asynchronous one, as an operator
     * does.
     */
    RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot(
            long id, CheckpointStreamFactory streams, CheckpointOptions options) throws Exception {
        boolean isCanonical =
                options.getCheckpointType() instanceof SavepointType savepoint
                        && savepoint.getFormatType() == SavepointFormatType.CANONICAL;
        return isCanonical
                ? StreamOperatorStateHandler.prepareCanonicalSavepoint(backend, closeables)
                        .snapshot(id, id, streams, options)
                : backend.snapshot(id, id, streams, options);
    }

    CheckpointListener listener() {
        return (CheckpointListener) backend;
    }

    /** Ends the task as Flink does: first closes what blocks, then disposes of everything. */
    void close() throws Exception {
        IOUtils.closeQuietly(closeables);
        IOUtils.closeQuietly(backend);
        backend.dispose();
        // Ends checkpoints that are still being written, with what they have pinned.
        Await.until(
                "managed memory is given back", () -> environment.getMemoryManager().verifyEmpty());
        environment.close();
    }
}
