/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RunnableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.flink.api.common.state.InternalCheckpointListener;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.ttl.MockTtlTimeProvider;

/**
 * The keyed state of one operator: its subtasks, and its checkpoints as a job manager keeps them.
 * Keys go where Flink would send them. It can be stopped and started again from a checkpoint with
 * another parallelism.
 *
 * @param <K> the type of the keys
 */
final class KeyedJob<K> {
    private final KeyKind<K> kind;
    private final int maxParallelism;
    private final Path directory;
    private final MockTtlTimeProvider time = new MockTtlTimeProvider();
    private final List<KeyedSubtask<K>> subtasks = new ArrayList<>();

    private Supplier<StateBackend> backend;
    private CheckpointStore store;
    private int starts;
    private long lastCheckpointId;

    /**
     * Nothing runs yet.
     *
     * @param backend called once for each subtask: a state backend remembers the task it runs in
     */
    KeyedJob(Supplier<StateBackend> backend, KeyKind<K> kind, int maxParallelism, Path directory)
            throws Exception {
        this.backend = backend;
        this.kind = kind;
        this.maxParallelism = maxParallelism;
        this.directory = directory;
        this.store = new CheckpointStore(directory.resolve("checkpoints"));
    }

    KeyKind<K> kind() {
        return kind;
    }

    int maxParallelism() {
        return maxParallelism;
    }

    MockTtlTimeProvider time() {
        return time;
    }

    /** Takes effect at the next start. */
    void changeBackend(Supplier<StateBackend> other) {
        backend = other;
    }

    /** Stops what runs, as a failure does, and starts from the last completed checkpoint if any. */
    void start(int parallelism) throws Exception {
        start(parallelism, store.completed(), kind.serializer());
    }

    void start(int parallelism, Checkpoint from) throws Exception {
        start(parallelism, from, kind.serializer());
    }

    /** Like {@link #start(int)}, with another serializer of the keys. */
    void start(int parallelism, TypeSerializer<K> keySerializer) throws Exception {
        start(parallelism, store.completed(), keySerializer);
    }

    private void start(int parallelism, Checkpoint from, TypeSerializer<K> keySerializer)
            throws Exception {
        stop();
        starts++;
        for (int i = 0; i < parallelism; i++) {
            KeyGroupRange range =
                    KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                            maxParallelism, parallelism, i);
            subtasks.add(
                    new KeyedSubtask<>(
                            backend.get(),
                            keySerializer,
                            maxParallelism,
                            range,
                            time,
                            localDirectory(starts, i),
                            from == null ? List.of() : slices(from, range)));
        }
    }

    /**
     * Starts from the last completed checkpoint as another job, which keeps its own checkpoints
     * elsewhere.
     */
    void startAsAnotherJob(int parallelism, Path checkpoints) throws Exception {
        Checkpoint from = store.completed();
        stop();
        store = new CheckpointStore(checkpoints);
        start(parallelism, from);
    }

    private static List<KeyedStateHandle> slices(Checkpoint from, KeyGroupRange range) {
        List<KeyedStateHandle> slices = new ArrayList<>();
        for (KeyedStateHandle handle : from.handles()) {
            KeyedStateHandle slice = handle.getIntersection(range);
            if (slice != null) {
                slices.add(slice);
            }
        }
        return slices;
    }

    /** Where subtask {@code index} of the {@code start}-th start, from 1, keeps temporary files. */
    Path localDirectory(int start, int index) {
        return directory.resolve("task-" + start + "-" + index);
    }

    Path checkpointDirectory() {
        return store.directory();
    }

    int parallelism() {
        return subtasks.size();
    }

    KeyedSubtask<K> subtask(int index) {
        return subtasks.get(index);
    }

    KeyedSubtask<K> subtaskOf(K key) {
        return subtasks.get(
                KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup(
                        maxParallelism, subtasks.size(), kind.keyGroup(key, maxParallelism)));
    }

    /** The flags of a state without namespaces. */
    Flags<K, VoidNamespace> flags(ValueStateDescriptor<Boolean> descriptor) {
        return new Flags<>(this, descriptor, VoidNamespaceSerializer.INSTANCE);
    }

    /** A map of flags, of a job whose keys are numbers. */
    @SuppressWarnings("unchecked") // as the kind of the keys says
    <N> MapFlags<N> mapFlags(
            MapStateDescriptor<String, Boolean> descriptor, TypeSerializer<N> namespaceSerializer) {
        if (kind != KeyKind.LONGS) {
            throw new IllegalStateException("keys are " + kind);
        }
        return new MapFlags<>((KeyedJob<Long>) this, descriptor, namespaceSerializer);
    }

    <N> Flags<K, N> flags(
            ValueStateDescriptor<Boolean> descriptor, TypeSerializer<N> namespaceSerializer) {
        return new Flags<>(this, descriptor, namespaceSerializer);
    }

    /** Begins, ends and completes a checkpoint. */
    Checkpoint checkpoint() throws Exception {
        return checkpoint(CheckpointType.CHECKPOINT);
    }

    Checkpoint checkpoint(SnapshotType type) throws Exception {
        Checkpoint checkpoint = begin(type);
        finish(checkpoint);
        complete(checkpoint);
        return checkpoint;
    }

    /** Runs the synchronous part. */
    Checkpoint begin() throws Exception {
        return begin(CheckpointType.CHECKPOINT);
    }

    /**
     * A checkpoint whose synchronous part has run.
     *
     * @param streams what it is written through
     */
    record Begun<S extends CheckpointStreamFactory>(Checkpoint checkpoint, S streams) {}

    /**
     * Runs the synchronous part of a checkpoint.
     *
     * @param wrapping puts its own streams before those of the storage
     */
    <S extends CheckpointStreamFactory> Begun<S> beginThrough(
            Function<CheckpointStreamFactory, S> wrapping) throws Exception {
        long id = ++lastCheckpointId;
        S streams = wrapping.apply(store.streams(id));
        return new Begun<>(begin(CheckpointType.CHECKPOINT, id, streams), streams);
    }

    /** Runs the synchronous part. */
    Checkpoint begin(SnapshotType type) throws Exception {
        long id = ++lastCheckpointId;
        return begin(type, id, store.streams(id));
    }

    private Checkpoint begin(SnapshotType type, long id, CheckpointStreamFactory streams)
            throws Exception {
        CheckpointOptions options =
                CheckpointOptions.alignedNoTimeout(
                        type, CheckpointStorageLocationReference.getDefault());
        List<RunnableFuture<SnapshotResult<KeyedStateHandle>>> parts = new ArrayList<>();
        for (KeyedSubtask<K> subtask : subtasks) {
            parts.add(subtask.snapshot(id, streams, options));
        }
        return new Checkpoint(id, type, parts);
    }

    /** Runs the asynchronous part, in this thread unless it ran. */
    void finish(Checkpoint checkpoint) throws Exception {
        checkpoint.finish(store.registry());
    }

    /** From now on a start begins from it; older ones are gone. */
    void complete(Checkpoint checkpoint) throws Exception {
        Checkpoint subsumed = store.complete(checkpoint);
        for (KeyedSubtask<K> subtask : subtasks) {
            subtask.listener().notifyCheckpointComplete(checkpoint.id());
            if (subsumed != null
                    && subtask.backend() instanceof InternalCheckpointListener listener) {
                listener.notifyCheckpointSubsumed(subsumed.id());
            }
        }
    }

    /** As {@link #complete}, but the subtasks do not hear of it. */
    void completeUnheard(Checkpoint checkpoint) throws Exception {
        store.complete(checkpoint);
    }

    /** Aborts a checkpoint, in any state. */
    void abort(Checkpoint checkpoint) throws Exception {
        checkpoint.parts().forEach(part -> part.cancel(true));
        for (KeyedSubtask<K> subtask : subtasks) {
            subtask.listener().notifyCheckpointAborted(checkpoint.id());
        }
    }

    /** Stops all subtasks; what is not in a checkpoint is lost. */
    void stop() throws Exception {
        List<KeyedSubtask<K>> running = List.copyOf(subtasks);
        subtasks.clear();
        for (KeyedSubtask<K> subtask : running) {
            subtask.close();
        }
    }
}
