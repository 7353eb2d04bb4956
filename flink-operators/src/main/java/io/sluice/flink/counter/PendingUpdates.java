/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import java.util.HashMap;
import java.util.Map;

/**
 * Updates of counters that wait for the next emission, summed per counter. Bounded: its owner
 * flushes when it {@link #isFull}. Not thread-safe.
 *
 * @param <K> type of the counters' keys
 */
final class PendingUpdates<K> {

    /** Changed counters; at some 100 bytes each, the map stays below 10 MB. */
    static final int MAX_COUNTERS = 1 << 16;

    /** The sum of a counter's updates. */
    static final class Update {
        private long delta;
        private double undercount;
        private long timestamp = Long.MIN_VALUE;

        void add(long moreDelta, double moreUndercount, long atTimestamp) {
            delta += moreDelta;
            undercount += moreUndercount;
            timestamp = Math.max(timestamp, atTimestamp);
        }

        long delta() {
            return delta;
        }

        double undercount() {
            return undercount;
        }

        long timestamp() {
            return timestamp;
        }
    }

    private final Map<K, Update> updates = new HashMap<>();

    /** The sum for {@code counter}, or null if nothing waits for it. */
    Update find(K counter) {
        return updates.get(counter);
    }

    /** A new sum for {@code counter}, which is kept. */
    Update create(K counter) {
        Update update = new Update();
        updates.put(counter, update);
        return update;
    }

    boolean isFull() {
        return updates.size() >= MAX_COUNTERS;
    }

    Iterable<Map.Entry<K, Update>> all() {
        return updates.entrySet();
    }

    void clear() {
        updates.clear();
    }
}
