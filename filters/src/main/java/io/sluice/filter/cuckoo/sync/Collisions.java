/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo.sync;

/**
 * What happens to two elements of one side that have the same fingerprint in the same buckets.
 *
 * <p>Persisted by {@link #code}.
 */
public enum Collisions {

    /**
     * Each has a slot, as in the paper's algorithm 1. Counts stay exact, and slots of the two sides
     * with equal counts are matched: the more accurate way, and the usual one.
     */
    SEPARATE(0),

    /**
     * They share a slot and their counts add up, as in a filter that was filled by a stream. Never
     * needs more slots than there are elements; shared counts look like differences.
     */
    MERGED(1);

    private final int code;

    Collisions(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    /** Null if there is none. */
    static Collisions ofCode(int code) {
        return switch (code) {
            case 0 -> SEPARATE;
            case 1 -> MERGED;
            default -> null;
        };
    }
}
