/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

/**
 * When a machine was last in use, in 27 bits of an {@code int} whose other 5 bits are its state. A
 * slice is cut into up to 64 ticks: times-to-live depend on slices, and eviction depends on ticks.
 * Pure functions.
 */
final class StoreTicks {

    private static final int TICK_BITS = 27;
    private static final int TICK_MASK = (1 << TICK_BITS) - 1;
    private static final int STATE_BITS = Integer.SIZE - TICK_BITS;

    /** Returns the binary logarithm of the ticks in a slice of some milliseconds. */
    private static final int MAX_SUB_BITS = 6;

    private final int slices;
    private final long[] sliceMillis;
    private final int[] subBits;

    StoreTicks(StateTimes times) {
        slices = times.slices();
        sliceMillis = new long[times.classes().count()];
        subBits = new int[sliceMillis.length];
        for (int c = 0; c < sliceMillis.length; c++) {
            sliceMillis[c] = times.sliceMillis(c);
            int log = Long.SIZE - 1 - Long.numberOfLeadingZeros(sliceMillis[c]);
            subBits[c] = Math.min(MAX_SUB_BITS, log);
        }
    }

    static int word(int state, long tick) {
        return state << TICK_BITS | ((int) tick & TICK_MASK);
    }

    static int state(int word) {
        return word >>> TICK_BITS;
    }

    /** The tick nearest to {@code tick} that a word may stand for. */
    static long nearest(long tick, int word) {
        return tick - (((int) tick - word) << STATE_BITS >> STATE_BITS);
    }

    /** INVARIANT: {@code slice(tick(t)) = floor(t / sliceMillis)}, as there are 2^n ticks in it. */
    long tick(int ofClass, long millis) {
        long bounded = Math.max(-StateTimes.MAX_MILLIS, Math.min(StateTimes.MAX_MILLIS, millis));
        return Math.floorDiv(bounded << subBits[ofClass], sliceMillis[ofClass]);
    }

    long slice(int ofClass, long tick) {
        return tick >> subBits[ofClass];
    }

    long sliceMillis(int ofClass) {
        return sliceMillis[ofClass];
    }

    /** The last millisecond of a tick. */
    long lastMillis(int ofClass, long tick) {
        return Math.floorDiv((tick + 1) * sliceMillis[ofClass] - 1, 1L << subBits[ofClass]);
    }

    /**
     * The part of its time-to-live that a machine of that tick has used up, from 0 to {@link
     * Eviction#ALL}.
     */
    int usedUp(int ofClass, long tick, long nowMillis) {
        long idle = Math.max(0, tick(ofClass, nowMillis) - tick);
        long most = (long) (slices + 1) << subBits[ofClass];
        return idle >= most ? Eviction.ALL : (int) (idle * Eviction.ALL / most);
    }

    /** Times closer than this can be told apart in all classes, with room to spare. */
    long nearMillis() {
        long least = Long.MAX_VALUE;
        for (int c = 0; c < sliceMillis.length; c++) {
            least = Math.min(least, sliceMillis[c] << (TICK_BITS - 2) >> subBits[c]);
        }
        return least;
    }
}
