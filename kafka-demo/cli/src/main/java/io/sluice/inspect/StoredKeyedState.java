/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.state.snapshot.CompositeManifest.DelegateKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.annotation.Nullable;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.UncompressedStreamCompressionDecorator;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackendBuilder;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSetFactory;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.BackendStateType;
import org.apache.flink.runtime.state.metrics.LatencyTrackingStateConfig;
import org.apache.flink.runtime.state.metrics.SizeTrackingStateConfig;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/**
 * Flink's keyed state of an operator, brought onto the heap one key group at a time, by Flink's own
 * restore. Reads what the heap backend wrote, and canonical savepoints of any backend; the files of
 * RocksDB need RocksDB.
 */
final class StoredKeyedState {

    /** Timers of the key group; it grows. */
    private static final int QUEUE_CAPACITY = 128;

    private final int maxParallelism;
    private final ClassLoader classLoader;
    private final List<KeyGroupsStateHandle> handles = new ArrayList<>();

    private StoredKeyedState(int maxParallelism, ClassLoader classLoader) {
        this.maxParallelism = maxParallelism;
        this.classLoader = classLoader;
    }

    /**
     * Finds the state of an operator; reads manifests only.
     *
     * @throws IOException naming the engine, if they are in files that cannot be read here
     */
    static StoredKeyedState of(OperatorState operator, ClassLoader classLoader) throws IOException {
        StoredKeyedState state = new StoredKeyedState(operator.getMaxParallelism(), classLoader);
        for (var subtask : Handles.subtasks(operator).entrySet()) {
            for (KeyedStateHandle handle :
                    Handles.materialized(subtask.getValue().getManagedKeyedState())) {
                state.add(handle, "subtask " + subtask.getKey());
            }
        }
        return state;
    }

    private void add(KeyedStateHandle handle, String source) throws IOException {
        KeyedParts ours = KeyedParts.of(handle, source, classLoader).orElse(null);
        KeyedStateHandle flinks = handle;
        String engine = KeyedParts.engineOf(handle);
        if (ours != null) {
            var delegate = ours.manifest().delegate();
            ours.parts()
                    .heap(ours.manifest().heapOffsets(), ours.parts().keyGroupRange())
                    .ifPresent(heap -> handles.add((KeyGroupsStateHandle) heap));
            if (!ours.isCanonical() && delegate.kind() == DelegateKind.NONE) {
                return;
            }
            engine = "cascade's delegate, " + delegate.type();
            flinks = ours.parts().delegate(delegate, ours.parts().keyGroupRange()).orElse(null);
            if (flinks == null) {
                return;
            }
        }
        if (!(flinks instanceof KeyGroupsStateHandle keyGroups)) {
            throw new IOException(
                    "keyed state is in the files of "
                            + engine
                            + ": take canonical savepoints of both, which any backend can read");
        }
        handles.add(keyGroups);
    }

    /** Sees restored state. */
    @FunctionalInterface
    interface Visitor {

        /**
         * Sees a part of a key group's state.
         *
         * @param backend which holds it, and is disposed of afterwards
         * @param states what is in it
         */
        void visit(HeapKeyedStateBackend<Object> backend, List<StateMetaInfoSnapshot> states)
                throws Exception;
    }

    /** Returns the key groups of all subtasks. */
    Set<Integer> keyGroups() {
        Set<Integer> keyGroups = new TreeSet<>();
        handles.forEach(handle -> handle.getKeyGroupRange().forEach(keyGroups::add));
        return keyGroups;
    }

    /**
     * Returns what describes a state; the first description that is found, or null if no subtask
     * has one of this name.
     *
     * @throws IOException if descriptions cannot be read
     */
    @Nullable
    StateMetaInfoSnapshot description(String name) throws IOException {
        for (KeyGroupsStateHandle handle : handles) {
            try {
                for (StateMetaInfoSnapshot state : described(handle).getStateMetaInfoSnapshots()) {
                    if (state.getName().equals(name)
                            && state.getBackendStateType() == BackendStateType.KEY_VALUE) {
                        return state;
                    }
                }
            } catch (IOException | RuntimeException | LinkageError e) {
                throw new IOException(
                        "the descriptions of its states cannot be read: " + e.getMessage(), e);
            }
        }
        return null;
    }

    /**
     * Shows the state of a key group. Takes the memory of that state.
     *
     * @throws IOException if Flink cannot read it
     */
    void read(int keyGroup, Visitor visitor) throws IOException {
        KeyGroupRange range = KeyGroupRange.of(keyGroup, keyGroup);
        for (KeyGroupsStateHandle handle : handles) {
            if (handle.getKeyGroupRange().contains(keyGroup)) {
                read(handle.getIntersection(range), range, visitor);
            }
        }
    }

    private void read(KeyGroupsStateHandle handle, KeyGroupRange range, Visitor visitor)
            throws IOException {
        try (CloseableRegistry closeables = new CloseableRegistry()) {
            KeyedBackendSerializationProxy<Object> described = described(handle);
            HeapKeyedStateBackend<Object> backend = restore(described, handle, range, closeables);
            try {
                visitor.visit(backend, described.getStateMetaInfoSnapshots());
            } finally {
                backend.dispose();
            }
        } catch (Exception | LinkageError e) {
            // Flink's readers throw whatever serializers and the bytes make them throw.
            throw new IOException(
                    "the keyed state of key group "
                            + range.getStartKeyGroup()
                            + " in "
                            + handle.getDelegateStateHandle()
                            + " is not the heap backend's, nor a canonical savepoint, or is"
                            + " damaged: "
                            + e.getMessage(),
                    e);
        }
    }

    private KeyedBackendSerializationProxy<Object> described(KeyGroupsStateHandle handle)
            throws IOException {
        KeyedBackendSerializationProxy<Object> described =
                new KeyedBackendSerializationProxy<>(classLoader);
        try (FSDataInputStream in = handle.openInputStream()) {
            described.read(new DataInputViewStreamWrapper(in));
        }
        return described;
    }

    private HeapKeyedStateBackend<Object> restore(
            KeyedBackendSerializationProxy<Object> described,
            KeyGroupsStateHandle handle,
            KeyGroupRange range,
            CloseableRegistry closeables)
            throws IOException {
        return new HeapKeyedStateBackendBuilder<>(
                        null,
                        described.getKeySerializerSnapshot().restoreSerializer(),
                        classLoader,
                        maxParallelism,
                        range,
                        new ExecutionConfig(),
                        TtlTimeProvider.DEFAULT,
                        LatencyTrackingStateConfig.disabled(),
                        SizeTrackingStateConfig.disabled(),
                        List.of(handle),
                        UncompressedStreamCompressionDecorator.INSTANCE,
                        LocalRecoveryConfig.BACKUP_AND_RECOVERY_DISABLED,
                        new HeapPriorityQueueSetFactory(range, maxParallelism, QUEUE_CAPACITY),
                        false,
                        closeables)
                .build();
    }
}
