/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

/**
 * Chooses the flows that make room: those that have used up most of their timeout. While more than
 * half of the flows are handshakes that are not complete, only these: so a flood of SYN displaces
 * itself, oldest first, and neither connections nor handshakes that go on. One is used once, for a
 * pass over all flows that counts, and one that takes.
 */
final class Eviction {

    /** A timeout that is used up; others are parts of it. */
    static final int ALL = 256;

    private final boolean onlyOpening;
    private final int[] counts = new int[ALL + 1];
    private int threshold = ALL + 1;

    /** How many go of those at the threshold. */
    private int quota;

    Eviction(boolean onlyOpening) {
        this.onlyOpening = onlyOpening;
    }

    private boolean isEligible(int state) {
        return !onlyOpening || IdleClass.of(state) == IdleClass.OPENING;
    }

    /**
     * Counts a flow.
     *
     * @param usedUp of its timeout, 0 to {@link #ALL}
     */
    void see(int state, int usedUp) {
        if (isEligible(state)) {
            counts[usedUp]++;
        }
    }

    /** All flows are counted; {@code wanted} of them have to go. */
    void choose(int wanted) {
        int chosen = 0;
        while (chosen < wanted && threshold > 0) {
            threshold--;
            quota = Math.min(counts[threshold], wanted - chosen);
            chosen += quota;
        }
    }

    /** Whether this flow has to go. Asked again it says no, as it has gone. */
    boolean take(int state, int usedUp) {
        if (!isEligible(state) || usedUp < threshold) {
            return false;
        }
        if (usedUp == threshold) {
            return quota-- > 0;
        }
        return true;
    }
}
