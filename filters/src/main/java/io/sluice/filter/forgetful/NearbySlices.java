/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

/**
 * The times within a window of a timestamp, before or after it, and the slices that they are in.
 * For one timestamp after another: as long as these are in the same slices, nothing is computed.
 * Not thread-safe.
 */
final class NearbySlices {

    /** SaturatedTime beyond this are computed each time: their sums may overflow. */
    private static final long FAR = 1L << 61;

    /** The ms of a slice. */
    final long slice;

    private final long window;

    private long time;
    private long first;
    private long number;
    private long last;

    /** Timestamps from here on, and before {@link #until}, have the same slices. */
    private long since;

    private long until;

    NearbySlices(long window, long slice) {
        this.window = window;
        this.slice = slice;
    }

    /** Moves to another timestamp; returns this. */
    NearbySlices of(long timestamp) {
        time = timestamp;
        if (timestamp < since || timestamp >= until) {
            move();
        }
        return this;
    }

    private void move() {
        first = SaturatedTime.slice(from(), slice);
        number = SaturatedTime.slice(time, slice);
        last = SaturatedTime.slice(to(), slice);
        if (time <= -FAR || time >= FAR) {
            since = 0;
            until = 0;
            return;
        }
        since = Math.max(first * slice + window, Math.max(number * slice, last * slice - window));
        until = Math.min(first * slice + window, Math.min(number * slice, last * slice - window));
        until += slice;
    }

    /** The timestamp that it is around. */
    long time() {
        return time;
    }

    /** The least time in reach. */
    long from() {
        return SaturatedTime.plus(time, -window);
    }

    /** The greatest time in reach. */
    long to() {
        return SaturatedTime.plus(time, window);
    }

    /** The slice of {@link #from}. */
    long first() {
        return first;
    }

    /** The slice of the timestamp. */
    long number() {
        return number;
    }

    /** The slice of {@link #to}. */
    long last() {
        return last;
    }
}
