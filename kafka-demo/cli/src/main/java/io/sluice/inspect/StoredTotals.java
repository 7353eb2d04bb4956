/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.flink.counter.StoredCounters;
import io.sluice.state.snapshot.CompositeManifest.DelegateKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
import org.apache.flink.runtime.state.metrics.LatencyTrackingStateConfig;
import org.apache.flink.runtime.state.metrics.SizeTrackingStateConfig;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/**
 * Totals of counters in Flink's keyed state, brought onto the heap one key group at a time, by
 * Flink's own restore. Reads what the heap backend wrote, and canonical savepoints of any backend;
 * the files of RocksDB need RocksDB.
 */
final class StoredTotals {

    /** Timers of the key group; it grows. */
    private static final int QUEUE_CAPACITY = 128;

    private final int maxParallelism;
    private final ClassLoader classLoader;
    private final List<KeyGroupsStateHandle> handles = new ArrayList<>();

    private StoredTotals(int maxParallelism, ClassLoader classLoader) {
        this.maxParallelism = maxParallelism;
        this.classLoader = classLoader;
    }

    /**
     * Finds the totals of an operator; reads manifests only.
     *
     * @throws IOException naming the engine, if they are in files that cannot be read here
     */
    static StoredTotals of(OperatorState operator, ClassLoader classLoader) throws IOException {
        StoredTotals totals = new StoredTotals(operator.getMaxParallelism(), classLoader);
        for (var subtask : Handles.subtasks(operator).entrySet()) {
            for (KeyedStateHandle handle :
                    Handles.materialized(subtask.getValue().getManagedKeyedState())) {
                totals.add(handle, "subtask " + subtask.getKey());
            }
        }
        return totals;
    }

    private void add(KeyedStateHandle handle, String source) throws IOException {
        KeyedParts ours = KeyedParts.of(handle, source, classLoader).orElse(null);
        KeyedStateHandle flinks = handle;
        String engine = KeyedParts.engineOf(handle);
        if (ours != null) {
            var delegate = ours.manifest().delegate();
            if (delegate.kind() == DelegateKind.NONE) {
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
                    "totals are in the files of "
                            + engine
                            + ": take canonical savepoints of both, which any backend can read");
        }
        handles.add(keyGroups);
    }

    /**
     * The totals of a key group by the text of the counter's key. Takes the memory of the key
     * group's state.
     *
     * @throws IOException if Flink cannot read it
     */
    Map<String, Long> read(int keyGroup) throws IOException {
        Map<String, Long> totals = new HashMap<>();
        KeyGroupRange range = KeyGroupRange.of(keyGroup, keyGroup);
        for (KeyGroupsStateHandle handle : handles) {
            if (handle.getKeyGroupRange().contains(keyGroup)) {
                read(handle.getIntersection(range), range, totals);
            }
        }
        return totals;
    }

    private void read(KeyGroupsStateHandle handle, KeyGroupRange range, Map<String, Long> into)
            throws IOException {
        try (CloseableRegistry closeables = new CloseableRegistry()) {
            HeapKeyedStateBackend<Object> backend = restore(handle, range, closeables);
            try {
                StoredCounters.forEach(
                        backend, (counter, total) -> into.put(String.valueOf(counter), total));
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

    private HeapKeyedStateBackend<Object> restore(
            KeyGroupsStateHandle handle, KeyGroupRange range, CloseableRegistry closeables)
            throws IOException {
        KeyedBackendSerializationProxy<Object> described =
                new KeyedBackendSerializationProxy<>(classLoader);
        try (FSDataInputStream in = handle.openInputStream()) {
            described.read(new DataInputViewStreamWrapper(in));
        }
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
