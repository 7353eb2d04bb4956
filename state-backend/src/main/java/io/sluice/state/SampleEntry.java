/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

/**
 * What a {@link MembershipSample} knows about a key in addition to its hash, in one word:
 *
 * <pre>
 *   | time in milliseconds, with its sign: 46 | key group: 15 | dropped: 1 | counted: 1 | used: 1 |
 * </pre>
 *
 * No entry is 0. Pure functions. Part of the format of checkpoints.
 */
final class SampleEntry {

    /** The last time that fits, in the year 3084. */
    static final long MAX_TIME = (1L << 45) - 1;

    static final long MIN_TIME = -MAX_TIME;

    private static final long USED = 1;

    /** The key was new at its lookup, and counts. */
    private static final long COUNTED = 2;

    /** It counts, and the filter reported it as seen. */
    private static final long DROPPED = 4;

    private static final long COUNTS = COUNTED | DROPPED;
    private static final int KEY_GROUP_SHIFT = 3;
    private static final int KEY_GROUP_MASK = (1 << 15) - 1;
    private static final int TIME_SHIFT = 18;

    private SampleEntry() {}

    /** A key that does not count. */
    static long known(int keyGroup, long time) {
        return time << TIME_SHIFT | (long) keyGroup << KEY_GROUP_SHIFT | USED;
    }

    /** A key that counts. */
    static long counted(int keyGroup, long time, boolean dropped) {
        return known(keyGroup, time) | COUNTED | (dropped ? DROPPED : 0);
    }

    /** The same entry at another time. */
    static long at(long time, long entry) {
        return known(keyGroup(entry), time) | (entry & COUNTS);
    }

    static long time(long entry) {
        return entry >> TIME_SHIFT;
    }

    static int keyGroup(long entry) {
        return (int) (entry >> KEY_GROUP_SHIFT) & KEY_GROUP_MASK;
    }

    static boolean isCounted(long entry) {
        return (entry & COUNTED) != 0;
    }

    static boolean isDropped(long entry) {
        return (entry & DROPPED) != 0;
    }

    /** Whether a word can be an entry: it is used, and dropped only if it is counted. */
    static boolean isValid(long word) {
        return (word & USED) != 0 && (isCounted(word) || !isDropped(word));
    }
}
