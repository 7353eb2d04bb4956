/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import java.io.Serializable;

/**
 * When a window ends, in milliseconds; 0 is not such an end.
 *
 * @param duration after its first row
 * @param inactivity after its last row
 */
record WindowLengths(long duration, long inactivity) implements Serializable {

    /** Returns the first time that is behind the window. */
    long end(long firstRow, long lastRow) {
        return Math.min(after(firstRow, duration), after(lastRow, inactivity));
    }

    /** Returns the first time that is behind a window of one row. */
    long end(long row) {
        return end(row, row);
    }

    /**
     * Until when a window that ended then has to be known: at that time the window of a row that
     * would belong to it is over too.
     */
    long forget(long end) {
        return end(end - 1);
    }

    private static long after(long time, long length) {
        long end = time + length;
        return length == 0 || end < time ? Long.MAX_VALUE : end;
    }
}
