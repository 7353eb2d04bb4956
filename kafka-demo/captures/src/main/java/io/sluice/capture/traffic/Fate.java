/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

import java.util.Locale;

/** How a TCP flow proceeds; flows of other protocols just stop. */
enum Fate {
    /** Handshake, data, both sides close. */
    FIN(0, 6),

    /** Handshake, data, one side aborts. */
    RST(1, 4),

    /** Handshake, data, one side closes and the other aborts. */
    FIN_AND_RST(2, 5),

    /** Handshake and data, or the beginning of them. */
    STOPPED(3, 1),

    /** SYN, RST. */
    REJECTED(4, 2),

    /** SYN, repeated. */
    UNANSWERED(5, 1),

    /** SYN, SYN-ACK, RST by the client: a scan that found an open port. */
    HALF_OPEN(6, 3),

    /** One packet with flags that no connection has. */
    ILLEGAL(7, 1);

    private static final Fate[] ALL = values();

    private final int slot;
    private final int leastPackets;

    Fate(int slot, int leastPackets) {
        this.slot = slot;
        this.leastPackets = leastPackets;
    }

    int leastPackets() {
        return leastPackets;
    }

    String code() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Index of its count in an array of counts; not persisted. */
    int slot() {
        return slot;
    }

    static Fate[] all() {
        return ALL;
    }
}
