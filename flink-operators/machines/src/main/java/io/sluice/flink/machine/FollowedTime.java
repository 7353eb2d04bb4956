/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.TimeDomain;
import io.sluice.flink.machine.store.StateTimes;
import java.io.Serializable;
import java.time.Duration;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * The time of events.
 *
 * @param domain which clock it is
 * @param maxFutureMillis event time: how far ahead of the watermark a timestamp is believed
 */
@Internal
public record FollowedTime(TimeDomain domain, long maxFutureMillis) implements Serializable {

    /** The default of {@code maxFuture} is at least this. */
    public static final Duration MIN_FUTURE = Duration.ofHours(1);

    public FollowedTime {
        requireNonNull(domain, "domain");
    }

    /**
     * Returns the time.
     *
     * @param maxFuture null for the default: the longest time-to-live, at least {@link #MIN_FUTURE}
     */
    public static FollowedTime of(
            TimeDomain domain, @Nullable Duration maxFuture, long longestMillis) {
        return new FollowedTime(
                domain,
                maxFuture == null
                        ? Math.max(longestMillis, MIN_FUTURE.toMillis())
                        : maxFuture.toMillis());
    }

    /** Returns how far ahead of the time at which machines time out an event may be. */
    public long spreadMillis() {
        return domain == TimeDomain.EVENT ? maxFutureMillis : 0;
    }

    /**
     * Returns the timestamp of {@code record}, clamped to within a million years of 1970. Sources
     * give {@link Long#MIN_VALUE} where there is none.
     *
     * @param operator how the message names the operator
     * @throws IllegalStateException if it has none
     */
    public static long of(StreamRecord<?> record, Supplier<String> operator) {
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

    /**
     * Returns the latest time that is believed of an event when the watermark is at {@code
     * watermark}; unlimited before the first watermark.
     */
    public long latest(long watermark) {
        if (watermark == Long.MIN_VALUE) {
            return Long.MAX_VALUE;
        }
        return watermark > Long.MAX_VALUE - maxFutureMillis
                ? Long.MAX_VALUE
                : watermark + maxFutureMillis;
    }
}
