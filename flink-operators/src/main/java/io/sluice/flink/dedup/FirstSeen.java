/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import java.util.List;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;

/** The exact state of verification: the time of each first occurrence, and a timer to clear it. */
final class FirstSeen {

    /** Of the state and of the timer service. */
    static final String NAME = "firstSeen";

    /** Under which Flink's timer services keep their timers; part of its savepoints. */
    private static final List<String> TIMER_PREFIXES =
            List.of("_timer_state/event_", "_timer_state/processing_");

    private FirstSeen() {}

    static ValueStateDescriptor<Long> descriptor() {
        return new ValueStateDescriptor<>(NAME, LongSerializer.INSTANCE);
    }

    /**
     * Deletes the state of all keys, and all timers. Otherwise what a backend has restored would be
     * in every later checkpoint, though nobody looks at it. O(n), with a list of the keys on the
     * heap backend.
     */
    static <K> void discard(KeyedStateBackend<K> backend) throws Exception {
        backend.applyToAllKeys(
                VoidNamespace.INSTANCE,
                VoidNamespaceSerializer.INSTANCE,
                descriptor(),
                (key, state) -> state.clear());
        TimerSerializer<K, VoidNamespace> serializer =
                new TimerSerializer<>(backend.getKeySerializer(), VoidNamespaceSerializer.INSTANCE);
        for (String prefix : TIMER_PREFIXES) {
            // Not by way of a timer service: it deletes no timer while it looks for them.
            var timers =
                    backend.<TimerHeapInternalTimer<K, VoidNamespace>>create(
                            prefix + NAME, serializer);
            while (timers.poll() != null) {}
        }
    }
}
