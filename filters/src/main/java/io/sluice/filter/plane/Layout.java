/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

import java.util.List;

/** How ids are laid out in the array. */
public enum Layout {
    /**
     * A table of fingerprints with the slice of time that each belongs to. An id is stored once, in
     * one cache line and seldom in another: the fewest cache misses.
     */
    FINGERPRINTS(3),

    /**
     * As fingerprints, but a part of each is not stored: the place inside the cache line implies
     * it. Fewer bits per id, and a little more to compute.
     */
    QUOTIENT(4);

    private final int code;

    Layout(int code) {
        this.code = code;
    }

    /** Returns the layouts that an array for a window can have: the tables. */
    public static List<Layout> forWindows() {
        return List.of(FINGERPRINTS, QUOTIENT);
    }

    /** The number that stands for this layout in persistent formats. */
    int code() {
        return code;
    }

    /** The layout with this persistent number, or null if there is none. */
    static Layout ofCode(int code) {
        for (Layout layout : values()) {
            if (layout.code == code) {
                return layout;
            }
        }
        return null;
    }
}
