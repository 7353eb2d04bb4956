/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What a {@link ForgetfulFilter} was given, exactly: each id with its own times. */
final class WindowModel {

    /** For each id and time that was recorded, the time as which it is kept. */
    private final Map<Long, NavigableMap<Long, Long>> recorded = new HashMap<>();

    private long clock;
    private long window;
    private long longestSlice;

    /** Greatest clock - window so far: what is kept as of less may be forgotten. */
    private long horizon = Long.MIN_VALUE;

    WindowModel(WindowOptions options, long clock) {
        this.clock = clock;
        changeOptions(options);
    }

    void record(long id, long timestamp, long kept) {
        long time = ordinary(timestamp);
        recorded.computeIfAbsent(id, any -> new TreeMap<>())
                .merge(time, Math.min(time, ordinary(kept)), Math::max);
    }

    void advanceTo(long newClock, long maxFuture) {
        if (clock == Long.MIN_VALUE && newClock != Long.MIN_VALUE) {
            long latest = ordinary(SaturatedTime.plus(newClock, maxFuture));
            for (Map<Long, Long> times : recorded.values()) {
                times.replaceAll((time, kept) -> Math.min(kept, latest));
            }
        }
        clock = Math.max(clock, newClock);
        moveHorizon();
    }

    void changeOptions(WindowOptions options) {
        window = options.windowMillis();
        longestSlice = Math.max(longestSlice, Slices.sliceMillis(options));
        moveHorizon();
    }

    /** The time that a timestamp is kept as. */
    long bounded(long timestamp, long maxFuture) {
        return clock == Long.MIN_VALUE
                ? timestamp
                : Math.min(timestamp, SaturatedTime.plus(clock, maxFuture));
    }

    void resetClock() {
        clock = Long.MIN_VALUE;
    }

    private void moveHorizon() {
        if (clock != Long.MIN_VALUE) {
            horizon = Math.max(horizon, SaturatedTime.horizon(clock, window));
        }
    }

    /** Whether the id must be seen at this time by a filter that covers what is kept as of then. */
    boolean mustBeSeen(long id, long timestamp, long coveredSince) {
        long least = Math.max(horizon, coveredSince);
        return within(id, timestamp, window).values().stream().anyMatch(kept -> kept >= least);
    }

    /** Whether it may be seen without being a false positive. */
    boolean mayBeSeen(long id, long timestamp) {
        return !within(id, timestamp, SaturatedTime.plus(window, longestSlice)).isEmpty();
    }

    private NavigableMap<Long, Long> within(long id, long timestamp, long distance) {
        NavigableMap<Long, Long> times = recorded.getOrDefault(id, new TreeMap<>());
        long time = ordinary(timestamp);
        return times.subMap(
                SaturatedTime.plus(time, -distance),
                true,
                SaturatedTime.plus(time, distance),
                true);
    }

    private static long ordinary(long time) {
        return Math.max(Long.MIN_VALUE + 1, Math.min(Long.MAX_VALUE - 1, time));
    }

    /** All that must be seen at its own time. */
    void forEachThatMustBeSeen(long coveredSince, Visitor visitor) {
        long least = Math.max(horizon, coveredSince);
        recorded.forEach(
                (id, times) ->
                        times.forEach(
                                (time, kept) -> {
                                    if (kept >= least) {
                                        visitor.visit(id, time);
                                    }
                                }));
    }

    /** Takes an id and a time of it. */
    interface Visitor {
        void visit(long id, long time);
    }

    long clock() {
        return clock;
    }

    long horizon() {
        return horizon;
    }
}
