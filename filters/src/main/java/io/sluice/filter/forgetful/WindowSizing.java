/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import io.sluice.filter.plane.Layout;
import io.sluice.filter.plane.PlaneSizing;

/**
 * How a window divides into slices, and what that means for its arrays. Pure functions.
 *
 * <p>Besides the window an array holds the slice that is leaving it, and what is ahead of the
 * clock: it is sized for {@value #SPARE} times the ids of a window.
 */
final class WindowSizing {

    static final double SPARE = 1.25;

    /** Slices of a window: a plane each, and the others for what is around it. */
    static final int SLICES_PER_WINDOW = 8;

    private WindowSizing() {}

    /** The ms of a slice of a window, at least 1. */
    static long sliceMillis(long windowMillis) {
        int rest = windowMillis % SLICES_PER_WINDOW == 0 ? 0 : 1;
        return windowMillis / SLICES_PER_WINDOW + rest;
    }

    /** Ids that an array is made for when a window has {@code idsPerWindow}; at least 1. */
    static long capacity(double idsPerWindow) {
        return Math.max(1, (long) Math.ceil(idsPerWindow * SPARE));
    }

    /** Ids per window of the largest array of at most {@code bytes}, without rounding. */
    static double idsPerWindow(Layout layout, double fpp, long bytes) {
        return PlaneSizing.ids(layout, fpp, bytes) / SPARE;
    }

    /** The table layout that takes less memory for a filter with this probability. */
    static Layout smallerTable(double fpp) {
        return PlaneSizing.smallerTable(SegmentAllocator.SHARE_OF_THE_REST * fpp);
    }
}
