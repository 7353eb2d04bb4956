/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/**
 * A Boolean value state of a job, used as a set of (key, namespace).
 *
 * @param <K> the type of the keys
 * @param <N> the type of the namespaces
 */
final class Flags<K, N> {
    private final KeyedJob<K> job;
    private final ValueStateDescriptor<Boolean> descriptor;
    private final TypeSerializer<N> namespaceSerializer;
    private long clears;

    Flags(
            KeyedJob<K> job,
            ValueStateDescriptor<Boolean> descriptor,
            TypeSerializer<N> namespaceSerializer) {
        this.job = job;
        this.descriptor = descriptor;
        this.namespaceSerializer = namespaceSerializer;
    }

    KeyedJob<K> job() {
        return job;
    }

    /** The state, with the key's context set. */
    ValueState<Boolean> at(K key, N namespace) throws Exception {
        var backend = job.subtaskOf(key).backend();
        job.kind().select(key, backend, job.maxParallelism());
        return backend.getPartitionedState(namespace, namespaceSerializer, descriptor);
    }

    /** The state of one subtask, for its current key. */
    ValueState<Boolean> in(KeyedSubtask<K> subtask, N namespace) throws Exception {
        return subtask.backend().getPartitionedState(namespace, namespaceSerializer, descriptor);
    }

    boolean isMarked(K key, N namespace) throws Exception {
        return Boolean.TRUE.equals(at(key, namespace).value());
    }

    /** Marks like a deduplication, and returns true if there was no mark. */
    boolean markFirst(K key, N namespace) throws Exception {
        ValueState<Boolean> state = at(key, namespace);
        if (Boolean.TRUE.equals(state.value())) {
            return false;
        }
        state.update(true);
        return true;
    }

    void mark(K key, N namespace) throws Exception {
        at(key, namespace).update(true);
    }

    void clear(K key, N namespace) throws Exception {
        at(key, namespace).clear();
        clears++;
    }

    /** Number of marks cleared so far. */
    long clears() {
        return clears;
    }
}
