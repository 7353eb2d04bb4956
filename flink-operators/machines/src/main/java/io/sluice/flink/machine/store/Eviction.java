/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import java.util.stream.LongStream;

/**
 * Chooses the machines that make room: those that have used up most of their time-to-live. While
 * more than half of the machines are of the class that is sacrificed, only these go: so a flood of
 * new keys displaces itself, oldest first, and not the machines that proceed. An object is used
 * once: for a first pass over all machines that counts, and a second one that takes.
 */
final class Eviction {

    /** A time-to-live that is fully used up; other values are fractions of it. */
    static final int ALL = 256;

    private final StateTimes times;
    private final boolean onlySacrificed;
    private final int[] counts = new int[ALL + 1];
    private int threshold = ALL + 1;

    /** How many of the machines at the threshold go. */
    private int quota;

    /** How many of them still have to go. */
    private int left;

    /**
     * What the machines at the threshold have of the next one that goes, in parts of their number.
     */
    private long share;

    /**
     * @param byState how many machines are in each state
     */
    Eviction(StateTimes times, long[] byState) {
        this.times = times;
        long sacrificed = 0;
        for (int state = 0; state < byState.length; state++) {
            sacrificed += times.codeOf(state) == times.sacrificed() ? byState[state] : 0;
        }
        this.onlySacrificed = 2 * sacrificed > LongStream.of(byState).sum();
    }

    private boolean isEligible(int state) {
        return !onlySacrificed || times.codeOf(state) == times.sacrificed();
    }

    /**
     * Counts a machine.
     *
     * @param usedUp how much of its time-to-live, 0 to {@link #ALL}
     */
    void see(int state, int usedUp) {
        if (isEligible(state)) {
            counts[usedUp]++;
        }
    }

    /** Ends the counting; {@code wanted} machines have to go. */
    void choose(int wanted) {
        int chosen = 0;
        while (chosen < wanted && threshold > 0) {
            threshold--;
            quota = Math.min(counts[threshold], wanted - chosen);
            chosen += quota;
        }
        left = quota;
    }

    /** Whether this machine has to go; it counts as gone then. */
    boolean take(int state, int usedUp) {
        if (!isEligible(state) || usedUp < threshold) {
            return false;
        }
        if (usedUp > threshold) {
            return true;
        }
        // Evenly over all that are asked: if neighbours went, the rest of a table would be crowded.
        share += quota;
        if (share < counts[threshold] || left == 0) {
            return false;
        }
        share -= counts[threshold];
        left--;
        return true;
    }
}
