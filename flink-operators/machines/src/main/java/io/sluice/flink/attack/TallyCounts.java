/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

/** What became of the attempts of a party. */
final class TallyCounts {

    /** No count goes beyond this, so the sum of two never overflows. */
    static final long MOST = (1L << 62) - 1;

    long attempts;
    long completed;
    long refused;

    TallyCounts(long attempts, long completed, long refused) {
        this.attempts = attempts;
        this.completed = completed;
        this.refused = refused;
    }

    TallyCounts copy() {
        return new TallyCounts(attempts, completed, refused);
    }

    void add(TallyCounts more) {
        attempts = sum(attempts, more.attempts);
        completed = sum(completed, more.completed);
        refused = sum(refused, more.refused);
    }

    void subtract(TallyCounts less) {
        attempts -= less.attempts;
        completed -= less.completed;
        refused -= less.refused;
    }

    boolean isAtLeast(TallyCounts other) {
        return attempts >= other.attempts
                && completed >= other.completed
                && refused >= other.refused;
    }

    /** Sum of all counts. */
    long events() {
        return sum(sum(attempts, completed), refused);
    }

    /** The sum of two counts, {@link #MOST} at most. */
    static long sum(long one, long other) {
        return Math.min(one + other, MOST);
    }
}
