/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import org.apache.flink.annotation.Experimental;

/**
 * The state of a TCP connection, or how it ended, in the terms of the field {@code conn_state} of
 * Zeek's connection log (<i>The Zeek Manual</i>, base/protocols/conn). The originator is the side
 * that began the connection, the responder is the other one.
 */
@Experimental
public enum ConnState {
    /** A SYN, no reply. */
    S0(0),

    /** Established, not ended. */
    S1(1),

    /** Established and closed by both sides. */
    SF(2),

    /** A SYN that was refused by a RST. */
    REJ(3),

    /** Established; the originator wants to close, the responder has not answered. */
    S2(4),

    /** Established; the responder wants to close, the originator has not answered. */
    S3(5),

    /** Established; the originator gave up by RST. */
    RSTO(6),

    /** Established; the responder gave up by RST. */
    RSTR(7),

    /** SYN, then RST, both by the originator, and no reply. */
    RSTOS0(8),

    /** SYN and ACK, then RST, both by the responder; nothing seen of the originator. */
    RSTRH(9),

    /** SYN, then FIN, both by the originator, and no reply. */
    SH(10),

    /** SYN and ACK, then FIN, both by the responder; nothing seen of the originator. */
    SHR(11),

    /** No SYN seen: traffic from the middle of a connection, whatever its end. */
    OTH(12);

    /** Number of states. */
    public static final int COUNT = 13;

    private static final ConnState[] ALL = values();

    private final int code;

    ConnState(int code) {
        this.code = code;
    }

    /** Persistent number, from 0 to {@link #COUNT} - 1; never changes its meaning. */
    public int code() {
        return code;
    }

    /**
     * The state with this {@link #code}.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static ConnState ofCode(int code) {
        return Codes.find(ALL, code);
    }
}
