/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import java.util.List;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;

/**
 * Keyed timers of an operator that has its own raw keyed state: where they can live, and how to
 * delete them.
 */
@Internal
public final class KeyedTimers {

    /**
     * Prefix of the states in which Flink's timer services keep their timers; part of its
     * savepoints.
     */
    private static final List<String> PREFIXES =
            List.of("_timer_state/event_", "_timer_state/processing_");

    private KeyedTimers() {}

    /**
     * Deletes a state of all keys, and all timers of the timer service with its name. Otherwise
     * every later checkpoint would contain the restored state, though it is not read. O(n), with a
     * list of the keys on the heap backend.
     */
    public static <K, S extends State> void discard(
            KeyedStateBackend<K> backend, StateDescriptor<S, ?> descriptor) throws Exception {
        backend.applyToAllKeys(
                VoidNamespace.INSTANCE,
                VoidNamespaceSerializer.INSTANCE,
                descriptor,
                (key, state) -> state.clear());
        TimerSerializer<K, VoidNamespace> serializer =
                new TimerSerializer<>(backend.getKeySerializer(), VoidNamespaceSerializer.INSTANCE);
        for (String prefix : PREFIXES) {
            // Not through a timer service: it cannot delete timers while it iterates over them.
            var timers =
                    backend.<TimerHeapInternalTimer<K, VoidNamespace>>create(
                            prefix + descriptor.getName(), serializer);
            while (timers.poll() != null) {}
        }
    }

    /**
     * Refuses a state backend that would write keyed timers into raw keyed state.
     *
     * @throws IllegalStateException if it would
     */
    static void requireManaged(KeyedStateBackend<?> backend, String operator) {
        if (backend instanceof AbstractKeyedStateBackend<?> keyed
                && keyed.requiresLegacySynchronousTimerSnapshots(CheckpointType.CHECKPOINT)) {
            throw new IllegalStateException(
                    "Operator "
                            + operator
                            + " needs timers in the state backend, but"
                            + " state.backend.rocksdb.timer-service.factory is HEAP: set it to"
                            + " ROCKSDB (Flink's default).");
        }
    }
}
