/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import io.sluice.filter.annotation.Internal;
import java.util.Arrays;

/**
 * The time of a stream, from timestamps a few of which may be wild.
 *
 * <p><b>Rule:</b> it is as late as all but {@value #OUTVOTED} of the last {@value #VOTERS}
 * timestamps say. So a wild timestamp ahead does not move it, and a late one does not hold it up;
 * after a silence it follows as soon as a dozen ids agree that time has passed. Before that many
 * have come, the time is not known.
 *
 * <p>Not in snapshots: after a restore the clock stands until a dozen ids have come.
 *
 * <p>Not thread-safe.
 */
@Internal
public final class ArrivalClock {

    /** A power of two. */
    static final int VOTERS = 16;

    /** Less than half of the voters, so that a few wild timestamps cannot move the clock. */
    static final int OUTVOTED = 3;

    private final long[] votes = new long[VOTERS];
    private final long[] sorted = new long[VOTERS];
    private int nextVote;

    /** One that does not know the time. */
    public ArrivalClock() {
        reset();
    }

    /** Forgets everything. */
    void reset() {
        startAt(Long.MIN_VALUE);
    }

    /** Takes {@code timestamp} for the time until others disagree. */
    public void startAt(long timestamp) {
        Arrays.fill(votes, timestamp);
    }

    /** A timestamp came. */
    public void vote(long timestamp) {
        votes[nextVote] = timestamp;
        nextVote = nextVote + 1 & VOTERS - 1;
    }

    /** What time it is; {@code Long.MIN_VALUE} if that is not known. Some 50 ns. */
    public long time() {
        System.arraycopy(votes, 0, sorted, 0, VOTERS);
        Arrays.sort(sorted);
        return sorted[OUTVOTED];
    }
}
