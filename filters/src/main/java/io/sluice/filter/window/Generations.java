/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.window;

import java.util.Arrays;

/**
 * What the planes of one array hold: ids and times of each slice, and which plane is the active
 * one. A plane is free, live or retired (being swept; that state is the array's).
 *
 * <p>Times are those of the ids, which may be out of order: a slice knows the least and the
 * greatest timestamp in it, and may go only when the greatest is out of the window.
 */
final class Generations {

    /**
     * Longs of a plane in {@link #planes}: side by side, because recording an id changes all of
     * them.
     */
    private static final int STRIDE = 4;

    private static final int IDS = 0;
    private static final int BEGIN = 1;
    private static final int END = 2;

    /** The lesser of the clock and the greatest timestamp when the plane got its last id. */
    private static final int BEHIND = 3;

    private final int count;
    private final long[] planes;

    /** Order in which live planes were opened. */
    private final long[] opened;

    private long nextOpened;
    private long live;
    private int active;

    /** All planes free, plane 0 active. */
    Generations(int count) {
        this.count = count;
        planes = new long[count * STRIDE];
        opened = new long[count];
        reset(0);
    }

    /** Makes {@code plane} the only live plane, empty and active. */
    void reset(int plane) {
        live = 0;
        Arrays.fill(planes, 0);
        open(plane);
    }

    /** Makes {@code plane}, which is free, live, empty and active. */
    void open(int plane) {
        active = plane;
        live |= 1L << plane;
        opened[plane] = nextOpened++;
        set(plane, 0, Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE);
    }

    private void set(int plane, long ids, long begin, long end, long behind) {
        int at = plane * STRIDE;
        planes[at + IDS] = ids;
        planes[at + BEGIN] = begin;
        planes[at + END] = end;
        planes[at + BEHIND] = behind;
    }

    /** Counts an id with this timestamp in the active plane. */
    void record(long timestamp, long clock) {
        planes[active * STRIDE + IDS]++;
        extend(timestamp, clock);
    }

    /** Makes the active plane, which has an id with this timestamp too, last as long as that. */
    void extend(long timestamp, long clock) {
        int at = active * STRIDE;
        planes[at + BEGIN] = Math.min(planes[at + BEGIN], timestamp);
        planes[at + END] = Math.max(planes[at + END], timestamp);
        planes[at + BEHIND] = Math.max(planes[at + BEHIND], Math.min(timestamp, clock));
    }

    /** Live planes, except the active one, whose ids are all older than {@code horizon}. */
    long expired(long horizon) {
        long expired = 0;
        for (int plane = 0; plane < count; plane++) {
            if (isLive(plane) && plane != active && end(plane) < horizon) {
                expired |= 1L << plane;
            }
        }
        return expired;
    }

    /** Live planes with an id whose timestamp is not below {@code horizon}. */
    long since(long horizon) {
        long since = 0;
        for (int plane = 0; plane < count; plane++) {
            since |= isLive(plane) && end(plane) >= horizon ? 1L << plane : 0;
        }
        return since;
    }

    /** The live plane other than the active one that expires first, or -1. */
    int firstToExpire() {
        int first = -1;
        for (int plane = 0; plane < count; plane++) {
            if (isLive(plane) && plane != active && (first < 0 || end(plane) < end(first))) {
                first = plane;
            }
        }
        return first;
    }

    /** The live plane other than the active one that was opened first, or -1. */
    int firstOpened() {
        int first = -1;
        for (int plane = 0; plane < count; plane++) {
            if (isLive(plane) && plane != active && (first < 0 || opened[plane] < opened[first])) {
                first = plane;
            }
        }
        return first;
    }

    /** Removes {@code dropped} from the live planes. */
    void drop(long dropped) {
        live &= ~dropped;
    }

    /** Moves all times, stopping at the ends of the range of a long. */
    void shift(long delta) {
        for (int plane = 0; plane < count; plane++) {
            if (isLive(plane) && ids(plane) > 0) {
                // As when they were recorded: a later time always exists.
                set(
                        plane,
                        ids(plane),
                        Math.min(Long.MAX_VALUE - 1, Times.plus(begin(plane), delta)),
                        Math.min(Long.MAX_VALUE - 1, Times.plus(end(plane), delta)),
                        Times.plus(behind(plane), delta));
            }
        }
    }

    /** Brings times after {@code latest} down to it. */
    void bound(long latest) {
        for (int plane = 0; plane < count; plane++) {
            if (isLive(plane) && ids(plane) > 0) {
                set(
                        plane,
                        ids(plane),
                        Math.min(begin(plane), latest),
                        Math.min(end(plane), latest),
                        behind(plane));
            }
        }
    }

    /** Restores one plane; {@link #activate} follows. */
    void restore(
            int plane,
            long planeOpened,
            long planeIds,
            long planeBegin,
            long planeEnd,
            long planeBehind) {
        live |= 1L << plane;
        opened[plane] = planeOpened;
        nextOpened = Math.max(nextOpened, planeOpened + 1);
        set(plane, planeIds, planeBegin, planeEnd, planeBehind);
    }

    /** Restores which planes are live, and which of them is active. */
    void activate(int plane, long livePlanes) {
        active = plane;
        live = livePlanes;
    }

    boolean isLive(int plane) {
        return (live >>> plane & 1) != 0;
    }

    long live() {
        return live;
    }

    int active() {
        return active;
    }

    long ids(int plane) {
        return planes[plane * STRIDE + IDS];
    }

    long activeIds() {
        return ids(active);
    }

    /** Position of the plane in the order of opening: the greater number was opened later. */
    long opened(int plane) {
        return opened[plane];
    }

    /** Least timestamp in the plane; greater than {@link #end} if it is empty. */
    long begin(int plane) {
        return planes[plane * STRIDE + BEGIN];
    }

    /** Greatest timestamp in the plane. */
    long end(int plane) {
        return planes[plane * STRIDE + END];
    }

    /**
     * The greatest time up to which ids of the plane were not ahead of the clock; the least long if
     * the clock was not known.
     */
    long behind(int plane) {
        return planes[plane * STRIDE + BEHIND];
    }

    /** Ids in all live planes. */
    long idsHeld() {
        long sum = 0;
        for (int plane = 0; plane < count; plane++) {
            sum += isLive(plane) ? ids(plane) : 0;
        }
        return sum;
    }

    /** Least of the greatest timestamps of live planes that have ids; the greatest long if none. */
    long earliestEnd() {
        long earliest = Long.MAX_VALUE;
        for (int plane = 0; plane < count; plane++) {
            if (isLive(plane) && ids(plane) > 0) {
                earliest = Math.min(earliest, end(plane));
            }
        }
        return earliest;
    }

    /** Greatest {@link #behind} of any live plane. */
    long newestBehind() {
        long newest = Long.MIN_VALUE;
        for (int plane = 0; plane < count; plane++) {
            if (isLive(plane)) {
                newest = Math.max(newest, behind(plane));
            }
        }
        return newest;
    }

    /** Greatest timestamp in any live plane; the least long if there is none. */
    long newestEnd() {
        long newest = Long.MIN_VALUE;
        for (int plane = 0; plane < count; plane++) {
            if (isLive(plane)) {
                newest = Math.max(newest, end(plane));
            }
        }
        return newest;
    }
}
