/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import java.util.Map;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/**
 * A map state of Booleans of a job, used as a set of (key, namespace, key of the map).
 *
 * @param <N> the type of the namespaces
 */
final class MapFlags<N> {
    private final KeyedJob<Long> job;
    private final MapStateDescriptor<String, Boolean> descriptor;
    private final TypeSerializer<N> namespaceSerializer;
    private long removes;

    MapFlags(
            KeyedJob<Long> job,
            MapStateDescriptor<String, Boolean> descriptor,
            TypeSerializer<N> namespaceSerializer) {
        this.job = job;
        this.descriptor = descriptor;
        this.namespaceSerializer = namespaceSerializer;
    }

    KeyedJob<Long> job() {
        return job;
    }

    /** The state, with the key's context set. */
    MapState<String, Boolean> at(long key, N namespace) throws Exception {
        var backend = job.subtaskOf(key).backend();
        job.kind().select(key, backend, job.maxParallelism());
        return backend.getPartitionedState(namespace, namespaceSerializer, descriptor);
    }

    /**
     * Whether the map has the entry.
     *
     * @throws AssertionError if {@code get} and {@code contains} differ
     */
    boolean isMarked(long key, N namespace, String mapKey) throws Exception {
        MapState<String, Boolean> map = at(key, namespace);
        boolean contains = map.contains(mapKey);
        Boolean value = map.get(mapKey);
        if (contains ? !Boolean.TRUE.equals(value) : value != null) {
            throw new AssertionError(
                    "contains(" + mapKey + ") is " + contains + ", but get() is " + value);
        }
        return contains;
    }

    void mark(long key, N namespace, String mapKey) throws Exception {
        at(key, namespace).put(mapKey, true);
    }

    void markAll(long key, N namespace, Map<String, Boolean> map) throws Exception {
        at(key, namespace).putAll(map);
    }

    void remove(long key, N namespace, String mapKey) throws Exception {
        at(key, namespace).remove(mapKey);
        removes++;
    }

    /** Number of entries removed so far. */
    long removes() {
        return removes;
    }
}
