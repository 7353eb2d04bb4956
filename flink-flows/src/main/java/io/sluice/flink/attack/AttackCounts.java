/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

/** What became of attempts and attacks. Part of the state, so sums are right across restores. */
final class AttackCounts {

    /** Number of words that all counts are written in. */
    static final int NUMBERS = 6;

    /** Attempts that were started. */
    long attempts;

    /** Attempts that came after their pane was closed, and were left out. */
    long late;

    /** Attempts that came far ahead of the watermark. They are held until event time gets there. */
    long ahead;

    /** Parties that had to make room, and attacks that found none and were not reported. */
    long forgotten;

    /** Attacks that were reported. */
    long raised;

    /** Reported attacks that are over. */
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

    /** Reads what {@link #words} returned. */
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
