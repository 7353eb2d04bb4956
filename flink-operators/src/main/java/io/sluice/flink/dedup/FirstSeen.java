/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import io.sluice.flink.runtime.KeyedTimers;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.KeyedStateBackend;

/** The exact state of verification: the time of each first occurrence, and a timer to clear it. */
final class FirstSeen {

    /** Name of the state and of the timer service. */
    static final String NAME = "firstSeen";

    private FirstSeen() {}

    static ValueStateDescriptor<Long> descriptor() {
        return new ValueStateDescriptor<>(NAME, LongSerializer.INSTANCE);
    }

    /** Deletes the state of all keys, and all timers: see {@link KeyedTimers#discard}. */
    static <K> void discard(KeyedStateBackend<K> backend) throws Exception {
        KeyedTimers.discard(backend, descriptor());
    }
}
