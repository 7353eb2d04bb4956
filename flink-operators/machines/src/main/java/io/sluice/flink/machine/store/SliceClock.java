/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

/**
 * The approximate time of a store's events, in ms of event time: the reference for times that are
 * kept without their highest bits. It follows the events, not the watermark, and a single event far
 * from the others does not move it: as in a majority vote, it changes sides only when more events
 * were far from it than near. If two sides are even, the later one wins, as only times ahead are
 * bounded by {@link #limit}. Not thread-safe.
 */
final class SliceClock {

    /** Keeps a long past from outweighing the present. */
    private static final int MAX_VOTES = 8;

    private final long nearMillis;
    private long now;
    private int votes;

    /**
     * @param nearMillis times closer together than this are near each other
     */
    SliceClock(long nearMillis) {
        this.nearMillis = nearMillis;
    }

    /** An event, or a machine that was read, is of this time. */
    void see(long millis) {
        if (isNear(millis)) {
            now = Math.max(now, millis);
            votes = Math.min(MAX_VOTES, votes + 1);
        } else if (votes == 0) {
            now = millis;
            votes = 1;
        } else {
            votes--;
            if (votes == 0) {
                now = Math.max(now, millis);
            }
        }
    }

    private boolean isNear(long millis) {
        long distance = millis - now;
        // The signs differ if the difference overflows.
        boolean overflows = ((millis ^ now) & (millis ^ distance)) < 0;
        return votes > 0 && !overflows && Math.abs(distance) < nearMillis;
    }

    /** No event can be later than this, so the clock cannot be either. */
    void limit(long latest, long watermark) {
        if (now > latest) {
            now = watermark;
            votes = 1;
        }
    }

    long now() {
        return now;
    }
}
