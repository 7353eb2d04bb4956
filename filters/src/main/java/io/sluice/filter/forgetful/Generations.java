/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

/**
 * What the planes of one array hold: how many ids, of which times. A plane is free, live or retired
 * (being swept; that state is the array's).
 *
 * <p>A plane knows the least and the greatest timestamp in it, and until when it is kept: normally
 * its greatest timestamp, which then has to leave the window. An id whose timestamp is not believed
 * is kept for less, a late one for more.
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
    private static final int KEPT = 3;

    private final int count;
    private final long[] planes;

    /** Order in which live planes were used: the greater number got an id later. */
    private final long[] used;

    private long nextUse;
    private int lastUsed = -1;
    private long live;
    private long idsHeld;

    /**
     * How often a plane may be kept for longer after the last id that was not believed: a wild
     * timestamp must not keep it for ever.
     */
    private static final int MAX_BELIEFS = 8;

    /** How often each live plane was kept for longer. */
    private final byte[] beliefs;

    /** The time from which on a plane may have to be kept for longer; the greatest long if none. */
    private long doubted = Long.MAX_VALUE;

    /** All planes free. */
    Generations(int count) {
        this.count = count;
        planes = new long[count * STRIDE];
        used = new long[count];
        beliefs = new byte[count];
    }

    /** Makes all planes free. */
    void reset() {
        live = 0;
        idsHeld = 0;
        doubted = Long.MAX_VALUE;
    }

    /** Makes {@code plane}, which is free, live and empty. */
    void open(int plane) {
        live |= 1L << plane;
        beliefs[plane] = 0;
        lastUsed = -1;
        set(plane, 0, Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE);
    }

    private void set(int plane, long ids, long begin, long end, long kept) {
        int at = plane * STRIDE;
        planes[at + IDS] = ids;
        planes[at + BEGIN] = begin;
        planes[at + END] = end;
        planes[at + KEPT] = kept;
    }

    /**
     * Counts an id with this timestamp in a live plane, which is kept as if it were {@code kept}.
     */
    void record(int plane, long timestamp, long kept) {
        idsHeld++;
        if (plane != lastUsed) {
            lastUsed = plane;
            used[plane] = nextUse++;
        }
        planes[plane * STRIDE + IDS]++;
        extend(plane, timestamp, kept);
    }

    /** Makes the plane, which has an id with this timestamp too, last as long as that. */
    void extend(int plane, long timestamp, long kept) {
        int at = plane * STRIDE;
        planes[at + BEGIN] = Math.min(planes[at + BEGIN], timestamp);
        planes[at + END] = Math.max(planes[at + END], timestamp);
        planes[at + KEPT] = Math.max(planes[at + KEPT], kept);
        if (kept < timestamp) {
            doubted = Math.min(doubted, timestamp);
            beliefs[plane] = 0;
        }
    }

    /**
     * Live planes that are kept no longer: those whose whole slice of time is before the window, so
     * that no id that is not late goes to the same slice again.
     *
     * @param latest timestamps up to this are believed
     * @param slice ms of a slice
     */
    long expired(long horizon, long latest, long slice) {
        long expired = 0;
        for (int plane = 0; plane < count; plane++) {
            if (isLive(plane) && SaturatedTime.endOfSlice(kept(plane, latest), slice) < horizon) {
                expired |= 1L << plane;
            }
        }
        return expired;
    }

    /**
     * Keeps planes for longer that have ids that were not believed when they came, and may be now.
     * Which of a plane's ids those are is not known, so all times up to {@code latest} count, and
     * later ones get further chances, each a window apart.
     *
     * @param latest timestamps up to this are believed
     * @param jumped the clock has gone further than it was believed to: what was kept as the latest
     *     time then is kept as the latest time now
     */
    void believe(long latest, long window, boolean jumped) {
        if (doubted > latest && !(jumped && doubted < Long.MAX_VALUE)) {
            return;
        }
        doubted = Long.MAX_VALUE;
        for (int plane = 0; plane < count; plane++) {
            if (isLive(plane) && end(plane) > kept(plane) && beliefs[plane] < MAX_BELIEFS) {
                int at = plane * STRIDE;
                planes[at + KEPT] = Math.max(kept(plane), Math.min(end(plane), latest));
                beliefs[plane]++;
                if (end(plane) > kept(plane) && beliefs[plane] < MAX_BELIEFS) {
                    doubted = Math.min(doubted, SaturatedTime.plus(kept(plane), window));
                }
            }
        }
    }

    /** The plane that expires first of those in {@code among}, which are live; -1 if none is. */
    int firstToExpire(long among) {
        int first = -1;
        for (int plane = 0; plane < count; plane++) {
            if ((among >>> plane & 1) != 0 && (first < 0 || kept(plane) < kept(first))) {
                first = plane;
            }
        }
        return first;
    }

    /** As {@link #firstToExpire}, the plane that has got no id for the longest time. */
    int firstUsed(long among) {
        int first = -1;
        for (int plane = 0; plane < count; plane++) {
            if ((among >>> plane & 1) != 0 && (first < 0 || used[plane] < used[first])) {
                first = plane;
            }
        }
        return first;
    }

    /** Removes {@code dropped} from the live planes. */
    void drop(long dropped) {
        for (long left = dropped & live; left != 0; left &= left - 1) {
            idsHeld -= ids(Long.numberOfTrailingZeros(left));
        }
        live &= ~dropped;
    }

    /** Removes {@code plane} from the live planes unless it has ids. */
    void dropIfEmpty(int plane) {
        if (ids(plane) == 0) {
            live &= ~(1L << plane);
        }
    }

    /** Keeps no plane longer than {@code latest}. */
    void bound(long latest) {
        for (int plane = 0; plane < count; plane++) {
            planes[plane * STRIDE + KEPT] = Math.min(planes[plane * STRIDE + KEPT], latest);
            doubt(plane);
        }
    }

    /** Which of its ids are not believed is not known. */
    private void doubt(int plane) {
        if (isLive(plane) && end(plane) > kept(plane)) {
            doubted = Math.min(doubted, Math.max(begin(plane), SaturatedTime.plus(kept(plane), 1)));
        }
    }

    /** Restores one live plane. */
    void restore(int plane, StoredWindow.Plane stored) {
        live |= 1L << plane;
        beliefs[plane] = 0;
        used[plane] = stored.used();
        nextUse = Math.max(nextUse, stored.used() + 1);
        idsHeld += stored.ids();
        set(plane, stored.ids(), stored.begin(), stored.end(), stored.kept());
        doubt(plane);
    }

    /** What is written of a live plane. */
    StoredWindow.Plane stored(int plane) {
        return new StoredWindow.Plane(
                used[plane], ids(plane), begin(plane), end(plane), kept(plane));
    }

    boolean isLive(int plane) {
        return (live >>> plane & 1) != 0;
    }

    long live() {
        return live;
    }

    long ids(int plane) {
        return planes[plane * STRIDE + IDS];
    }

    /** Least timestamp in the plane; greater than {@link #end} if it is empty. */
    long begin(int plane) {
        return planes[plane * STRIDE + BEGIN];
    }

    /** Greatest timestamp in the plane. */
    long end(int plane) {
        return planes[plane * STRIDE + END];
    }

    /** The time that has to leave the window before the plane may go. */
    long kept(int plane) {
        return planes[plane * STRIDE + KEPT];
    }

    /** As {@link #kept}, if timestamps up to {@code latest} are believed. */
    long kept(int plane, long latest) {
        long end = end(plane);
        return end <= latest ? Math.max(kept(plane), end) : kept(plane);
    }

    /** Ids in all live planes. */
    long idsHeld() {
        return idsHeld;
    }

    /**
     * The time that leaves the window first and takes a plane with it; the greatest long if none.
     */
    long earliestKept(long latest) {
        long earliest = Long.MAX_VALUE;
        for (int plane = 0; plane < count; plane++) {
            if (isLive(plane)) {
                earliest = Math.min(earliest, kept(plane, latest));
            }
        }
        return earliest;
    }

    /** The time that leaves the window last; the least long if no plane is live. */
    long newestKept(long latest) {
        long newest = Long.MIN_VALUE;
        for (int plane = 0; plane < count; plane++) {
            if (isLive(plane)) {
                newest = Math.max(newest, kept(plane, latest));
            }
        }
        return newest;
    }

    /** Least timestamp in any live plane; the greatest long if there is none. */
    long oldestBegin() {
        long oldest = Long.MAX_VALUE;
        for (int plane = 0; plane < count; plane++) {
            if (isLive(plane)) {
                oldest = Math.min(oldest, begin(plane));
            }
        }
        return oldest;
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
