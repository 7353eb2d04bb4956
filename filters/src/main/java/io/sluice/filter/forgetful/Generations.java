/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import java.util.Arrays;

/**
 * What the planes of one array hold: ids and times of each slice, and which plane is the active
 * one. A plane is free, live or retired (being swept; that state is the array's).
 *
 * <p>Times are those of the ids, out of order or not: a slice knows the least and the greatest
 * timestamp in it, and may go only when the greatest is out of the window.
 */
final class Generations {

    private final long[] ids;
    private final long[] begin;
    private final long[] end;

    /** Least of the clock and the greatest timestamp when the plane got its last id. */
    private final long[] behind;

    /** Of live planes: which was opened after which. */
    private final long[] opened;

    private long nextOpened;
    private long live;
    private int active;

    /** All planes free, plane 0 active. */
    Generations(int planes) {
        ids = new long[planes];
        begin = new long[planes];
        end = new long[planes];
        opened = new long[planes];
        behind = new long[planes];
        reset(0);
    }

    /** Makes {@code plane} the only live plane, empty and active. */
    void reset(int plane) {
        live = 0;
        Arrays.fill(ids, 0);
        open(plane);
    }

    /** Makes {@code plane}, which is free, live, empty and active. */
    void open(int plane) {
        active = plane;
        live |= 1L << plane;
        opened[plane] = nextOpened++;
        ids[plane] = 0;
        begin[plane] = Long.MAX_VALUE;
        end[plane] = Long.MIN_VALUE;
        behind[plane] = Long.MIN_VALUE;
    }

    /** Counts an id with this timestamp in the active plane. */
    void record(long timestamp, long clock) {
        ids[active]++;
        behind[active] = Math.max(behind[active], Math.min(timestamp, clock));
        begin[active] = Math.min(begin[active], timestamp);
        end[active] = Math.max(end[active], timestamp);
    }

    /** Live planes without the active one whose ids are all older than {@code horizon}. */
    long expired(long horizon) {
        long expired = 0;
        for (int plane = 0; plane < ids.length; plane++) {
            if (isLive(plane) && plane != active && end[plane] < horizon) {
                expired |= 1L << plane;
            }
        }
        return expired;
    }

    /** Live planes with an id whose timestamp is not below {@code horizon}. */
    long since(long horizon) {
        long planes = 0;
        for (int plane = 0; plane < ids.length; plane++) {
            planes |= isLive(plane) && end[plane] >= horizon ? 1L << plane : 0;
        }
        return planes;
    }

    /** The live plane other than the active one that expires first, or -1. */
    int firstToExpire() {
        return first(end);
    }

    /** The live plane other than the active one that was opened first, or -1. */
    int firstOpened() {
        return first(opened);
    }

    private int first(long[] order) {
        int first = -1;
        for (int plane = 0; plane < ids.length; plane++) {
            if (isLive(plane) && plane != active && (first < 0 || order[plane] < order[first])) {
                first = plane;
            }
        }
        return first;
    }

    /** Takes {@code planes} out of the live ones. */
    void drop(long planes) {
        live &= ~planes;
    }

    /** Moves all times, stopping at the ends of the range of a long. */
    void shift(long delta) {
        for (int plane = 0; plane < ids.length; plane++) {
            if (isLive(plane) && ids[plane] > 0) {
                // As when they were recorded: there is always a later time.
                begin[plane] = Math.min(Long.MAX_VALUE - 1, Times.plus(begin[plane], delta));
                end[plane] = Math.min(Long.MAX_VALUE - 1, Times.plus(end[plane], delta));
                behind[plane] = Times.plus(behind[plane], delta);
            }
        }
    }

    /** Brings times after {@code latest} down to it. */
    void bound(long latest) {
        for (int plane = 0; plane < ids.length; plane++) {
            if (isLive(plane) && ids[plane] > 0) {
                begin[plane] = Math.min(begin[plane], latest);
                end[plane] = Math.min(end[plane], latest);
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
        behind[plane] = planeBehind;
        live |= 1L << plane;
        opened[plane] = planeOpened;
        nextOpened = Math.max(nextOpened, planeOpened + 1);
        ids[plane] = planeIds;
        begin[plane] = planeBegin;
        end[plane] = planeEnd;
    }

    /** Restores which planes are live and which one, of these, is active. */
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
        return ids[plane];
    }

    long activeIds() {
        return ids[active];
    }

    /** Which live plane was opened after which: the greater number later. */
    long opened(int plane) {
        return opened[plane];
    }

    /** Least timestamp in the plane; greater than {@link #end} if it is empty. */
    long begin(int plane) {
        return begin[plane];
    }

    /** Greatest timestamp in the plane. */
    long end(int plane) {
        return end[plane];
    }

    /**
     * The greatest time up to which ids of the plane were not ahead of the clock; the least long if
     * the clock was not known.
     */
    long behind(int plane) {
        return behind[plane];
    }

    /** Ids in all live planes. */
    long idsHeld() {
        long sum = 0;
        for (int plane = 0; plane < ids.length; plane++) {
            sum += isLive(plane) ? ids[plane] : 0;
        }
        return sum;
    }

    /** Least of the greatest timestamps of live planes that have ids; the greatest long if none. */
    long earliestEnd() {
        long earliest = Long.MAX_VALUE;
        for (int plane = 0; plane < ids.length; plane++) {
            if (isLive(plane) && ids[plane] > 0) {
                earliest = Math.min(earliest, end[plane]);
            }
        }
        return earliest;
    }

    /** Greatest {@link #behind} of any live plane. */
    long newestBehind() {
        long newest = Long.MIN_VALUE;
        for (int plane = 0; plane < ids.length; plane++) {
            if (isLive(plane)) {
                newest = Math.max(newest, behind[plane]);
            }
        }
        return newest;
    }

    /** Greatest timestamp in any live plane; the least long if there is none. */
    long newestEnd() {
        long newest = Long.MIN_VALUE;
        for (int plane = 0; plane < ids.length; plane++) {
            if (isLive(plane)) {
                newest = Math.max(newest, end[plane]);
            }
        }
        return newest;
    }
}
