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
        long[] sums = words();
        long[] more = other.words();
        for (int i = 0; i < NUMBERS; i++) {
            sums[i] = TallyCounts.sum(sums[i], more[i]);
        }
        set(sums);
    }

    /** All of them, {@link TallyCounts#MOST} at most. */
    long[] words() {
        long[] words = {attempts, late, ahead, forgotten, raised, cleared};
        for (int i = 0; i < NUMBERS; i++) {
            words[i] = Math.min(words[i], TallyCounts.MOST);
        }
        return words;
    }

    /** Reads what {@link #words} returned. */
    static AttackCounts of(long[] words) {
        AttackCounts counts = new AttackCounts();
        counts.set(words);
        return counts;
    }

    private void set(long[] words) {
        attempts = words[0];
        late = words[1];
        ahead = words[2];
        forgotten = words[3];
        raised = words[4];
        cleared = words[5];
    }
}
