/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import io.sluice.flink.TimeDomain;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** The time of a record in {@link TimeDomain#EVENT}. */
@Internal
public final class EventTime {

    private EventTime() {}

    /**
     * Returns the timestamp of {@code record}. Sources give {@link Long#MIN_VALUE} where there is
     * none; Flink's event-time windows read it the same way.
     *
     * @param operator how messages name the operator
     * @throws IllegalStateException if it has none
     */
    public static long of(StreamRecord<?> record, String operator) {
        return of(record.hasTimestamp() ? record.getTimestamp() : Long.MIN_VALUE, operator);
    }

    /**
     * Returns the same of a timestamp, which is null or {@link Long#MIN_VALUE} where there is none.
     *
     * @throws IllegalStateException if there is none
     */
    public static long of(@Nullable Long timestamp, String operator) {
        return of(timestamp == null ? Long.MIN_VALUE : timestamp.longValue(), operator);
    }

    private static long of(long timestamp, String operator) {
        if (timestamp == Long.MIN_VALUE) {
            throw new IllegalStateException(
                    "Operator "
                            + operator
                            + " works in event time, but a record has no timestamp: assign"
                            + " timestamps and watermarks before it with"
                            + " assignTimestampsAndWatermarks(...), or choose"
                            + " timeDomain(PROCESSING).");
        }
        return timestamp;
    }
}
