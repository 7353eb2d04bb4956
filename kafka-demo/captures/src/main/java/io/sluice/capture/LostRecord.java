/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.util.Locale;

/**
 * Why a record of a capture gave no packet although the capture continues after it. Only pcapng,
 * whose blocks state their length twice, can lose single records; in classic pcap a damaged record
 * hides where the next one begins.
 */
public enum LostRecord {
    /** A packet of an interface that the section did not describe, or not legibly. */
    UNKNOWN_INTERFACE(0),

    /** A packet whose lengths contradict each other or its block's. */
    BAD_LENGTH(1);

    private static final LostRecord[] ALL = values();

    private final int slot;

    LostRecord(int slot) {
        this.slot = slot;
    }

    /** The name in files and output. */
    public String code() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Index of its count in an array of counts; not persisted. */
    int slot() {
        return slot;
    }

    /** {@link #values} without the copy. */
    static LostRecord[] all() {
        return ALL;
    }
}
