/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import java.util.Map;
import java.util.TreeMap;

/**
 * The windows of a key group that are over and of which nothing else is remembered: a set rather
 * than a point in time, because a later window may end before an earlier one. Consecutive windows
 * form one range, so there is usually one range. Not thread-safe.
 *
 * <p>At most {@value #MAX_RANGES} ranges. With one more, the two oldest are merged, and the windows
 * between them, which neither side had mentioned here, count as forgotten too: far in the past, the
 * set becomes a point in time again. Ranges ahead of the clock are never merged like this, or a few
 * windows far ahead would end all windows before them; there the range furthest ahead is dropped.
 * O(log ranges).
 */
final class ForgottenWindows {

    static final int MAX_RANGES = 1024;

    private final long windowMillis;

    /** First to last window of each range, by number; ranges neither overlap nor touch. */
    private final TreeMap<Long, Long> ranges = new TreeMap<>();

    ForgottenWindows(long windowMillis) {
        this.windowMillis = windowMillis;
    }

    /**
     * Forgets a window.
     *
     * @param clock event time
     */
    void add(long window, long clock) {
        long number = Math.floorDiv(window, windowMillis);
        addRange(number, number);
        if (ranges.size() > MAX_RANGES) {
            makeRoom(Math.floorDiv(clock, windowMillis));
        }
    }

    private void makeRoom(long now) {
        Map.Entry<Long, Long> oldest = ranges.firstEntry();
        Map.Entry<Long, Long> second = ranges.higherEntry(oldest.getKey());
        if (second.getKey() <= now) {
            ranges.remove(second.getKey());
            ranges.put(oldest.getKey(), second.getValue());
        } else {
            ranges.pollLastEntry();
        }
    }

    /** Forgets the windows with these numbers; for restoring a set that was written. */
    void addRange(long first, long last) {
        Map.Entry<Long, Long> before = ranges.floorEntry(first);
        long from = first;
        long to = last;
        if (before != null && before.getValue() >= first - 1) {
            from = before.getKey();
            to = Math.max(to, before.getValue());
        }
        Map.Entry<Long, Long> after = ranges.ceilingEntry(first);
        if (after != null && after.getKey() <= to + 1) {
            ranges.remove(after.getKey());
            to = Math.max(to, after.getValue());
        }
        ranges.put(from, to);
    }

    boolean contains(long window) {
        long number = Math.floorDiv(window, windowMillis);
        Map.Entry<Long, Long> range = ranges.floorEntry(number);
        return range != null && range.getValue() >= number;
    }

    /** First to last number of a window, in ascending order. */
    Map<Long, Long> ranges() {
        return ranges;
    }
}
