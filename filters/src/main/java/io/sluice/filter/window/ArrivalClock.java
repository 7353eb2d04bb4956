/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.window;

import java.util.Arrays;

/**
 * The time of a stream, from timestamps a few of which may be wild.
 *
 * <p><b>Rule:</b> it is as late as all but {@value #OUTVOTED} of the last {@value #VOTERS}
 * timestamps say. So a wild timestamp ahead does not move it, and a late one does not hold it up;
 * after a silence it follows as soon as a dozen ids agree that time has passed. Before that many
 * have come, the time is not known.
 *
 * <p>The last {@value #REMEMBERED} ids that came too far ahead of the clock to be believed are
 * remembered: if the clock reaches their time after all, they are to be recorded again, with their
 * own time.
 *
 * <p>Not in snapshots: after a restore the clock stands until a dozen ids have come, and ids that
 * were too far ahead are held as if at the bound.
 *
 * <p>Not thread-safe.
 */
final class ArrivalClock {

    /** A power of two. */
    static final int VOTERS = 16;

    /** Less than half of the voters, so that a few wild timestamps cannot move the clock. */
    static final int OUTVOTED = 3;

    /**
     * More than the ids that come before the end of a silence is believed, even if some timestamps
     * contradict it.
     */
    static final int REMEMBERED = 64;

    private final long[] votes = new long[VOTERS];
    private final long[] sorted = new long[VOTERS];
    private int nextVote;

    private final long[] aheadHashes = new long[REMEMBERED];

    /** {@code Long.MIN_VALUE} where nothing is remembered. */
    private final long[] aheadTimes = new long[REMEMBERED];

    private int nextAhead;
    private int ahead;

    ArrivalClock() {
        reset();
    }

    /** Forgets everything. */
    void reset() {
        Arrays.fill(votes, Long.MIN_VALUE);
        Arrays.fill(aheadTimes, Long.MIN_VALUE);
        ahead = 0;
    }

    /** A timestamp came. */
    void vote(long timestamp) {
        votes[nextVote] = timestamp;
        nextVote = nextVote + 1 & VOTERS - 1;
    }

    /** What time it is; {@code Long.MIN_VALUE} if that is not known. Some 50 ns. */
    long time() {
        System.arraycopy(votes, 0, sorted, 0, VOTERS);
        Arrays.sort(sorted);
        return sorted[OUTVOTED];
    }

    /**
     * An id came whose timestamp is too far ahead of the clock. One that keeps coming takes the
     * place of no other.
     */
    void remember(long hash, long timestamp) {
        for (int i = 0; ahead != 0 && i < REMEMBERED; i++) {
            if (aheadHashes[i] == hash && aheadTimes[i] != Long.MIN_VALUE) {
                aheadTimes[i] = Math.max(aheadTimes[i], timestamp);
                return;
            }
        }
        ahead += aheadTimes[nextAhead] == Long.MIN_VALUE ? 1 : 0;
        aheadHashes[nextAhead] = hash;
        aheadTimes[nextAhead] = timestamp;
        nextAhead = nextAhead + 1 & REMEMBERED - 1;
    }

    /** Whether the id is remembered with a timestamp at or after {@code since}. */
    boolean remembers(long hash, long since) {
        for (int i = 0; ahead != 0 && i < REMEMBERED; i++) {
            if (aheadHashes[i] == hash && aheadTimes[i] >= Math.max(since, Long.MIN_VALUE + 1)) {
                return true;
            }
        }
        return false;
    }

    /** Whether any id is remembered. */
    boolean remembersAny() {
        return ahead != 0;
    }

    /**
     * Gives each id that is not later than {@code latest} to {@code recorder}, and drops it.
     *
     * @param all whether the recorder gets the others too, as if they were of that time
     */
    void recall(long latest, boolean all, Recorder recorder) {
        for (int i = 0; i < REMEMBERED; i++) {
            long time = aheadTimes[i];
            if (time == Long.MIN_VALUE) {
                continue;
            }
            if (all || time <= latest) {
                recorder.record(aheadHashes[i], Math.min(time, latest));
            }
            if (time <= latest) {
                aheadTimes[i] = Long.MIN_VALUE;
                ahead--;
            }
        }
    }

    /** Takes an id that is to be recorded again. */
    interface Recorder {
        void record(long hash, long timestamp);
    }

    /** Moves all times. */
    void shift(long deltaMillis) {
        for (int i = 0; i < VOTERS; i++) {
            votes[i] = Times.plus(votes[i], deltaMillis);
        }
        for (int i = 0; i < REMEMBERED; i++) {
            aheadTimes[i] = Times.plus(aheadTimes[i], deltaMillis);
        }
    }
}
