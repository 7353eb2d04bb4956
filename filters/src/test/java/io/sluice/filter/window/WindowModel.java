/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.window;

import java.util.HashMap;
import java.util.Map;

/** The exact window that a {@link WindowedFilter} must not fall behind. */
final class WindowModel {

    /** Timestamp of each id that was recorded last and not forgotten by the model. */
    private final Map<Long, Long> recorded = new HashMap<>();

    private long clock;
    private long window;

    /** Greatest clock - window so far: ids below it may be forgotten. */
    private long horizon = Long.MIN_VALUE;

    WindowModel(long window, long clock) {
        this.window = window;
        this.clock = clock;
        moveHorizon();
    }

    void record(long id, long timestamp) {
        recorded.put(id, timestamp);
    }

    /** The id came again, and is held for the window of whichever time is later. */
    void renew(long id, long timestamp) {
        recorded.merge(id, timestamp, Math::max);
    }

    void advanceTo(long newClock, long maxFuture) {
        if (clock == Long.MIN_VALUE && newClock != Long.MIN_VALUE) {
            long latest = Math.min(Long.MAX_VALUE - 1, Times.plus(newClock, maxFuture));
            recorded.replaceAll((id, timestamp) -> Math.min(timestamp, latest));
        }
        clock = Math.max(clock, newClock);
        moveHorizon();
    }

    void changeWindow(long newWindow) {
        window = newWindow;
        moveHorizon();
    }

    /** The time that a timestamp counts as. */
    long bounded(long timestamp, long maxFuture) {
        long time = Math.max(Long.MIN_VALUE + 1, Math.min(Long.MAX_VALUE - 1, timestamp));
        return clock == Long.MIN_VALUE ? time : Math.min(time, Times.plus(clock, maxFuture));
    }

    void resetClock() {
        clock = Long.MIN_VALUE;
    }

    private void moveHorizon() {
        if (clock != Long.MIN_VALUE) {
            horizon = Math.max(horizon, Times.horizon(clock, window));
            recorded.values().removeIf(timestamp -> timestamp < horizon);
        }
    }

    void shiftTime(long delta) {
        recorded.replaceAll(
                (id, timestamp) -> Math.min(Long.MAX_VALUE - 1, Times.plus(timestamp, delta)));
        clock = Times.plus(clock, delta);
        horizon = Times.plus(horizon, delta);
    }

    /**
     * Whether a filter that claims to cover only what came since {@code coveredSince} must hold it.
     */
    boolean mustHold(long id, long coveredSince) {
        Long timestamp = recorded.get(id);
        return timestamp != null && timestamp >= coveredSince;
    }

    Map<Long, Long> recorded() {
        return recorded;
    }

    long clock() {
        return clock;
    }

    long horizon() {
        return horizon;
    }
}
