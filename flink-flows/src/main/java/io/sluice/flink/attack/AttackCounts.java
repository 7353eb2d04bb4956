/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

/** What became of attempts and attacks. Part of the state, so sums are right across restores. */
final class AttackCounts {

    /** Words that all are written in. */
    static final int NUMBERS = 6;

    /** Attempts that were started. */
    long attempts;

    /** What came after its pane was closed, and was left out. */
    long late;

    /** What came far ahead of the watermark. It is held until event time gets there. */
    long ahead;

    /** Parties that had to make room, and attacks that found none and were not reported. */
    long forgotten;

    /** Attacks that were reported. */
    long raised;

    /** Of those, the ones that are over. */
    long cleared;

    void add(AttackCounts other) {
        attempts += other.attempts;
        late += other.late;
        ahead += other.ahead;
        forgotten += other.forgotten;
        raised += other.raised;
        cleared += other.cleared;
    }

    long[] words() {
        return new long[] {attempts, late, ahead, forgotten, raised, cleared};
    }

    /** What {@link #words} said. */
    static AttackCounts of(long[] words) {
        AttackCounts counts = new AttackCounts();
        counts.attempts = words[0];
        counts.late = words[1];
        counts.ahead = words[2];
        counts.forgotten = words[3];
        counts.raised = words[4];
        counts.cleared = words[5];
        return counts;
    }
}
