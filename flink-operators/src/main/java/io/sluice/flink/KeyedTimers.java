/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateBackend;

/** Whether keyed timers can live beside raw keyed state of one's own. */
final class KeyedTimers {

    private KeyedTimers() {}

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
