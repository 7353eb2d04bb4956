/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.apache.flink.util.function.BiConsumerWithException;

/**
 * Updates of counters that wait for the next emission, summed per counter. Bounded: its owner
 * flushes when it {@link #isFull}. Not thread-safe.
 *
 * @param <K> type of the counters' keys
 */
final class PendingUpdates<K> {

    /** Most changed counters held; at some 100 bytes each, the map stays below 10 MB. */
    static final int MAX_COUNTERS = 1 << 16;

    /** What makes an update leave. */
    enum Until {
        /** A watermark that passes its youngest operation. */
        YOUNGEST_PASSED,
        /** Any watermark. */
        NEXT_WATERMARK
    }

    /** The sum of a counter's updates. */
    static final class Update {
        private long delta;
        private double undercount;
        private long timestamp = Long.MIN_VALUE;
        private long leavesAt;

        long delta() {
            return delta;
        }

        double undercount() {
            return undercount;
        }

        /** Timestamp of the youngest operation. */
        long timestamp() {
            return timestamp;
        }
    }

    private final Until until;
    private final Map<K, Update> updates = new HashMap<>();

    /** Lower bound of the times at which the updates leave. */
    private long earliest = Long.MAX_VALUE;

    PendingUpdates(Until until) {
        this.until = until;
    }

    /** Returns the sum for {@code counter}, or null if it has no pending update. */
    Update find(K counter) {
        return updates.get(counter);
    }

    /** Adds a new sum for {@code counter}, and returns it. */
    Update create(K counter) {
        Update update = new Update();
        updates.put(counter, update);
        return update;
    }

    /** Adds an operation to {@code update}. */
    void add(Update update, long delta, double undercount, long timestamp) {
        update.delta += delta;
        update.undercount += undercount;
        update.timestamp = Math.max(update.timestamp, timestamp);
        update.leavesAt = until == Until.YOUNGEST_PASSED ? update.timestamp : Long.MIN_VALUE;
        earliest = Math.min(earliest, update.leavesAt);
    }

    boolean isFull() {
        return updates.size() >= MAX_COUNTERS;
    }

    /**
     * Hands over and removes the updates that leave at {@code timestamp} or before. O(waiting
     * counters) if there may be such an update, else O(1).
     */
    <E extends Exception> void takeUntil(
            long timestamp, BiConsumerWithException<? super K, Update, E> consumer) throws E {
        if (earliest > timestamp || updates.isEmpty()) {
            return;
        }
        long earliestLeft = Long.MAX_VALUE;
        Iterator<Map.Entry<K, Update>> entries = updates.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry<K, Update> entry = entries.next();
            Update update = entry.getValue();
            if (update.leavesAt <= timestamp) {
                consumer.accept(entry.getKey(), update);
                entries.remove();
            } else {
                earliestLeft = Math.min(earliestLeft, update.leavesAt);
            }
        }
        earliest = earliestLeft;
    }
}
