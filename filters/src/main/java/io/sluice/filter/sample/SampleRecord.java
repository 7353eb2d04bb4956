/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.sample;

/**
 * What a sample knows of an id in addition to its hash, in one word:
 *
 * <pre>
 *   | time in milliseconds, with its sign: the rest | group: 0 to 16 bits |
 *   | not bound: 1 | dropped: 1 | counted: 1 | used: 1 |
 * </pre>
 *
 * No record is 0. Pure functions. Part of the persistent format.
 *
 * @param groupBits bits of the group, which tells ids with equal hashes apart
 */
record SampleRecord(int groupBits) {

    static final int MAX_GROUP_BITS = 16;

    private static final long USED = 1;

    /** The id was new, and counts. */
    static final long COUNTED = 2;

    /** It counts, and the filter reported it as seen. */
    static final long DROPPED = 4;

    /** The filter need not hold it: it was dropped, is late, or its time is not believed. */
    static final long UNBOUND = 8;

    private static final int FLAG_BITS = 4;
    private static final long FLAGS = (1 << FLAG_BITS) - 1;

    /** Returns the last time that fits; the first one is its negative. */
    long maxTime() {
        return Long.MAX_VALUE >> timeShift();
    }

    private int timeShift() {
        return FLAG_BITS + groupBits;
    }

    /** Returns a record. One whose time does not fit claims nothing: it is not bound. */
    long of(int group, long time, long flags) {
        long fits = nearest(time);
        long unbound = fits == time ? 0 : UNBOUND;
        return fits << timeShift() | (long) group << FLAG_BITS | flags | unbound | USED;
    }

    /** Returns the time that a record has in the place of {@code time}. */
    long nearest(long time) {
        return Math.max(-maxTime(), Math.min(maxTime(), time));
    }

    /** Returns the same record at another time. */
    long at(long time, long record) {
        return of(group(record), time, record & FLAGS);
    }

    long time(long record) {
        return record >> timeShift();
    }

    int group(long record) {
        return (int) (record >>> FLAG_BITS) & (1 << groupBits) - 1;
    }

    static boolean has(long flag, long record) {
        return (record & flag) != 0;
    }

    /** Returns whether a word can be a record: it is used, and dropped only if it is counted. */
    static boolean isValid(long word) {
        return has(USED, word) && (has(COUNTED, word) || !has(DROPPED, word));
    }
}
