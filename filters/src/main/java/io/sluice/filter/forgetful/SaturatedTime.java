/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

/**
 * Arithmetic on times in ms that stops at the ends of the range instead of wrapping around. {@code
 * Long.MIN_VALUE} is a clock that has not been set yet: it stays as it is.
 */
final class SaturatedTime {

    private SaturatedTime() {}

    /** {@code time + delta}; an unset time stays unset, and no other becomes unset. */
    static long plus(long time, long delta) {
        if (time == Long.MIN_VALUE) {
            return time;
        }
        long sum = time + delta;
        if (((time ^ sum) & (delta ^ sum)) < 0) {
            return delta < 0 ? Long.MIN_VALUE + 1 : Long.MAX_VALUE;
        }
        return Math.max(sum, Long.MIN_VALUE + 1);
    }

    /** The slice, of {@code slice} ms, that a time is in. */
    static long slice(long time, long slice) {
        return Math.floorDiv(time, slice);
    }

    /** The last time in the slice of {@code time}; an unset time stays unset. */
    static long endOfSlice(long time, long slice) {
        return time == Long.MIN_VALUE ? time : plus(time, slice - 1 - Math.floorMod(time, slice));
    }

    /** {@code clock - window} for a window &gt;= 0; unset stays unset, and underflow is unset. */
    static long horizon(long clock, long window) {
        return clock < Long.MIN_VALUE + window ? Long.MIN_VALUE : clock - window;
    }
}
