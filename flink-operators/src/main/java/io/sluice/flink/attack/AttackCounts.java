/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

/** What became of attempts and attacks. Part of the state, so sums are right across restores. */
final class AttackCounts {

    /** Words that all are written in. */
    static final int NUMBERS = 5;

    /** Attempts that were started. */
    long attempts;

    /** What came after its pane was closed, and was left out. */
    long late;

    /** Parties that had to make room, or found none. */
    long forgotten;

    /** Attacks that were reported. */
    long raised;

    /** Of those, the ones that are over. */
    long cleared;

    void add(AttackCounts other) {
        attempts += other.attempts;
        late += other.late;
        forgotten += other.forgotten;
        raised += other.raised;
        cleared += other.cleared;
    }

    long[] words() {
        return new long[] {attempts, late, forgotten, raised, cleared};
    }

    /** What {@link #words} said. */
    static AttackCounts of(long[] words) {
        AttackCounts counts = new AttackCounts();
        counts.attempts = words[0];
        counts.late = words[1];
        counts.forgotten = words[2];
        counts.raised = words[3];
        counts.cleared = words[4];
        return counts;
    }
}
