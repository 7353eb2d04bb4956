/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.window;

import io.sluice.filter.plane.Layout;
import io.sluice.filter.plane.PlaneSizing;

/**
 * How a window divides into slices, and what that means for its arrays. Pure functions.
 *
 * <p>While slices rotate regularly, one plane fills, one may be being swept, and the window lies in
 * the others; a slice is sized for the window's ids divided by {@value #SLICES_PER_WINDOW}, which
 * leaves room for an unsteady rate.
 */
final class WindowSizing {

    static final double SLICES_PER_WINDOW = 6.5;

    private WindowSizing() {}

    /** Ids of a slice when a window has {@code idsPerWindow}; at least 1. */
    static long sliceCapacity(double idsPerWindow) {
        return Math.max(1, (long) Math.ceil(idsPerWindow / SLICES_PER_WINDOW));
    }

    /** Ids per window of the largest array of at most {@code bytes}, without rounding. */
    static double idsPerWindow(Layout layout, double fpp, long bytes) {
        return PlaneSizing.idsPerSlice(layout, fpp, bytes) * SLICES_PER_WINDOW;
    }

    /** The table layout that takes less memory for a filter with this probability. */
    static Layout smallerTable(double fpp) {
        return PlaneSizing.smallerTable(SegmentAllocator.SHARE_OF_THE_REST * fpp);
    }
}
