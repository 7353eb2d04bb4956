/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import java.util.Map;
import java.util.TreeMap;

/**
 * The windows of a key group that are over and of which nothing else is remembered: a set, not a
 * line in time, as a younger window may end before an older one. Windows that follow each other are
 * one range, so that in the usual course there is one. Not thread-safe.
 *
 * <p>At most {@value #MAX_RANGES} ranges. With one more, the two oldest become one, and the windows
 * between them, of which neither side had said anything here, are taken for forgotten too: what was
 * a set becomes a line in time again, but far behind. What lies ahead of the clock is never joined
 * so, or a few windows that were far ahead would end all before them; there the range that is
 * furthest ahead is dropped. O(log ranges).
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

    /** Forgets the windows with these numbers; for a set that was written. */
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
