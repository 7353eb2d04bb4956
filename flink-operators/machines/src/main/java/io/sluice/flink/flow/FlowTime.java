/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.flink.machine.store.StateTimes;
import java.util.function.Supplier;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** The time of a packet. */
final class FlowTime {

    private FlowTime() {}

    /**
     * The timestamp of {@code record}, clamped to within a million years of 1970. Sources give
     * {@link Long#MIN_VALUE} where there is none.
     *
     * @param operator how the message names the operator
     * @throws IllegalStateException if it has none
     */
    static long of(StreamRecord<?> record, Supplier<String> operator) {
        if (!record.hasTimestamp() || record.getTimestamp() == Long.MIN_VALUE) {
            throw new IllegalStateException(
                    "Operator "
                            + operator.get()
                            + " works in event time, but a record has no timestamp: assign"
                            + " timestamps and watermarks before it.");
        }
        long millis = record.getTimestamp();
        return Math.max(-StateTimes.MAX_MILLIS, Math.min(StateTimes.MAX_MILLIS, millis));
    }
}
