/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

/**
 * What the planes of a {@link ForgetfulBloomFilter} hold, and when an id counts as seen.
 *
 * <p>The paper's filters overlap: every id is in two of them, and so each holds two neighbouring
 * slices of the stream. {@link #SLICES} stores each slice once.
 */
public enum SeenRule {
    /**
     * The paper's filters; seen iff the present one or the oldest one with a history holds the id:
     * for N = 1 that covers everything; for larger N it misses ids of the middle slices. Only for
     * comparison.
     */
    SIMPLE(1),

    /**
     * The paper's filters and its optimised check, corrected: seen iff the future filter holds the
     * id, or two neighbours do, or the oldest one with a history alone. The paper's Algorithm 2
     * never reaches its last test when N &gt; 1, and so misses the ids that only the oldest filter
     * holds.
     */
    NEIGHBOUR_PAIRS(2),

    /**
     * Every slice in a plane of its own; seen iff any plane holds the id. The same window with the
     * same number of planes as the paper's filters (future + present + N past filters hold N + 2
     * slices), half the bits to set, and a lower false-positive probability: a pair of neighbours
     * passes a position if the slice that they share set it, <i>or</i> both others did; and the
     * oldest filter, tested alone, holds two slices.
     */
    SLICES(3);

    private final int code;

    SeenRule(int code) {
        this.code = code;
    }

    /** The number that stands for this rule in persistent formats. */
    int code() {
        return code;
    }

    /** The rule with this persistent number, or null if there is none. */
    static SeenRule ofCode(int code) {
        for (SeenRule rule : values()) {
            if (rule.code == code) {
                return rule;
            }
        }
        return null;
    }

    /** Newest filters that an id is inserted into. */
    int planesPerId() {
        return this == SLICES ? 1 : 2;
    }
}
