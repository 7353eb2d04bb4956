/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.PhysicalStateHandleID;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StreamStateHandle;

/** One snapshot of all subtasks: first only its synchronous part, then also its handles. */
final class Checkpoint {
    private final long id;
    private final SnapshotType type;
    private final List<RunnableFuture<SnapshotResult<KeyedStateHandle>>> parts;
    private final List<KeyedStateHandle> handles = new ArrayList<>();

    Checkpoint(
            long id,
            SnapshotType type,
            List<RunnableFuture<SnapshotResult<KeyedStateHandle>>> parts) {
        this.id = id;
        this.type = type;
        this.parts = parts;
    }

    long id() {
        return id;
    }

    /** The asynchronous parts, one of each subtask. */
    List<RunnableFuture<SnapshotResult<KeyedStateHandle>>> parts() {
        return parts;
    }

    /**
     * Runs the asynchronous parts unless they have run, and registers what they wrote, except for
     * savepoints, whose files belong to the user.
     */
    void finish(SharedStateRegistry registry) throws Exception {
        for (RunnableFuture<SnapshotResult<KeyedStateHandle>> part : parts) {
            part.run();
            KeyedStateHandle handle = part.get().getJobManagerOwnedSnapshot();
            if (handle != null) {
                if (!type.isSavepoint()) {
                    handle.registerSharedStates(registry, id);
                }
                handles.add(handle);
            }
        }
    }

    List<KeyedStateHandle> handles() {
        return handles;
    }

    /** Bytes that restoring reads. */
    long bytes() {
        return handles.stream().mapToLong(KeyedStateHandle::getStateSize).sum();
    }

    /**
     * Bytes of the files that it refers to; a file that several subtasks restore parts of is
     * counted once.
     */
    long bytesOfFiles() {
        Map<PhysicalStateHandleID, Long> files = new HashMap<>();
        for (KeyedStateHandle handle : handles) {
            filesOf(handle)
                    .forEach(file -> files.put(file.getStreamStateHandleID(), file.getStateSize()));
        }
        return files.values().stream().mapToLong(Long::longValue).sum();
    }

    private static Stream<StreamStateHandle> filesOf(KeyedStateHandle handle) {
        if (handle instanceof IncrementalRemoteKeyedStateHandle incremental) {
            return Stream.concat(
                    Stream.of(incremental.getMetaDataStateHandle()),
                    Stream.concat(
                                    incremental.getSharedState().stream(),
                                    incremental.getPrivateState().stream())
                            .map(HandleAndLocalPath::getHandle));
        }
        return Stream.of((StreamStateHandle) handle);
    }

    /** Bytes that this checkpoint wrote, without files of earlier checkpoints. */
    long newBytes() {
        return handles.stream().mapToLong(KeyedStateHandle::getCheckpointedSize).sum();
    }

    void discard() throws Exception {
        for (KeyedStateHandle handle : handles) {
            handle.discardState();
        }
    }
}
