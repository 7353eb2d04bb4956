/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.flink.machine.StateTimes;

/**
 * Chooses the flows that make room: those that have used up most of their timeout. While more than
 * half of the flows are of the class that is sacrificed, only these go: so a flood of SYNs
 * displaces itself, oldest first, and neither connections nor handshakes that proceed. An object is
 * used once: for a first pass over all flows that counts, and a second one that takes.
 */
final class Eviction {

    /** A timeout that is fully used up; other values are fractions of it. */
    static final int ALL = 256;

    private final StateTimes times;
    private final boolean onlySacrificed;
    private final int[] counts = new int[ALL + 1];
    private int threshold = ALL + 1;

    /** How many of the flows at the threshold go. */
    private int quota;

    /** How many of them still have to go. */
    private int left;

    /** What the flows at the threshold have of the next one that goes, in parts of their number. */
    private long share;

    Eviction(StateTimes times, boolean onlySacrificed) {
        this.times = times;
        this.onlySacrificed = onlySacrificed;
    }

    private boolean isEligible(int state) {
        return !onlySacrificed || times.codeOf(state) == times.sacrificed();
    }

    /**
     * Counts a flow.
     *
     * @param usedUp how much of its timeout, 0 to {@link #ALL}
     */
    void see(int state, int usedUp) {
        if (isEligible(state)) {
            counts[usedUp]++;
        }
    }

    /** Ends the counting; {@code wanted} flows have to go. */
    void choose(int wanted) {
        int chosen = 0;
        while (chosen < wanted && threshold > 0) {
            threshold--;
            quota = Math.min(counts[threshold], wanted - chosen);
            chosen += quota;
        }
        left = quota;
    }

    /** Whether this flow has to go; it counts as gone then. */
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
