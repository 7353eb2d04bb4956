/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The ids of one counter's operations, or the counters of one id's, which come in the order of
 * their times. Exact; holds those in the window. O(1) amortised. Not thread-safe.
 */
final class SortedOperations {

    private final long windowMillis;

    /** The last moment at which each is a retry, in the order of these moments. */
    private final Map<Object, Long> ends = new LinkedHashMap<>();

    SortedOperations(long windowMillis) {
        this.windowMillis = windowMillis;
    }

    /** Returns whether an operation is not a retry; if so, it is remembered. */
    boolean isFirst(Object key, long time) {
        // Times only rise and the window is fixed, so the oldest entry is the first to leave.
        Iterator<Long> oldest = ends.values().iterator();
        while (oldest.hasNext() && oldest.next() < time) {
            oldest.remove();
        }
        long end = time > Long.MAX_VALUE - windowMillis ? Long.MAX_VALUE : time + windowMillis;
        return ends.putIfAbsent(key, end) == null;
    }

    /** Forgets everything: another counter or id begins. */
    void clear() {
        ends.clear();
    }
}
