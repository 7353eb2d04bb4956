/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import org.apache.flink.annotation.Internal;

/**
 * The states that a store holds for a flow: small numbers from 0, ordered by {@link IdleClass}. The
 * state tells which side began: in each pair, the even offset means that the lower of the two
 * endpoints is the originator, the odd one that the upper is.
 *
 * <p>Zeek's {@link ConnState} follows from the state, but not the reverse: a flow that has ended
 * has been reported, and only which of FIN and RST it had is kept.
 */
@Internal
public final class FlowStates {

    /** A SYN of the originator. */
    static final int SYN = 0;

    /** SYN-ACK of the responder, nothing of the originator. */
    static final int SYN_ACK = 2;

    /** Both of them. */
    static final int HANDSHAKE = 4;

    /** More than a SYN of the originator, nothing of the responder: only one side is seen. */
    static final int ORIGINATOR_ONLY = 6;

    /** More than SYN-ACK of the responder, nothing of the originator. */
    static final int RESPONDER_ONLY = 8;

    static final int ESTABLISHED = 10;

    /** Established, and a FIN of the originator. */
    static final int ORIGINATOR_FIN = 12;

    /** Established, and a FIN of the responder. */
    static final int RESPONDER_FIN = 14;

    /** No SYN seen, and a FIN of the lower endpoint, or of the upper one. */
    static final int MIDSTREAM_FIN = 16;

    /** No SYN, no FIN; has no originator. */
    static final int MIDSTREAM = 18;

    /** Ended by FIN, without a RST so far. */
    static final int CLOSED_FIN = 19;

    /** Ended by RST, without a FIN so far. */
    static final int CLOSED_RST = 20;

    /** Ended, and has had both. */
    static final int CLOSED_BOTH = 21;

    /** Number of states. */
    public static final int COUNT = 22;

    private static final String[] PAIRS = {
        "syn",
        "syn-ack",
        "handshake",
        "originator-only",
        "responder-only",
        "established",
        "originator-fin",
        "responder-fin",
        "midstream-fin"
    };

    private static final String[] SINGLES = {
        "midstream", "closed-fin", "closed-rst", "closed-both"
    };

    private FlowStates() {}

    /** Whether the flow has ended and been reported, and is held only to absorb what trails. */
    public static boolean isClosed(int state) {
        return state >= CLOSED_FIN;
    }

    /** Returns whether it is known which side began. */
    static boolean hasOriginator(int state) {
        return state < MIDSTREAM_FIN;
    }

    /** Returns whether the lower end began; only if a state {@link #hasOriginator}. */
    static boolean originatorIsLower(int state) {
        return (state & 1) == 0;
    }

    /**
     * The connection state of a flow in this state.
     *
     * @throws IllegalArgumentException if the state {@link #isClosed}: it no longer tells how the
     *     flow ended
     */
    public static ConnState connState(int state) {
        return switch (state & ~1) {
            case SYN, ORIGINATOR_ONLY -> ConnState.S0;
            case HANDSHAKE, ESTABLISHED -> ConnState.S1;
            case ORIGINATOR_FIN -> ConnState.S2;
            case RESPONDER_FIN -> ConnState.S3;
            case SYN_ACK, RESPONDER_ONLY, MIDSTREAM_FIN -> ConnState.OTH;
            default -> {
                if (state != MIDSTREAM) {
                    throw new IllegalArgumentException(
                            "state must be below " + CLOSED_FIN + ", got " + state);
                }
                yield ConnState.OTH;
            }
        };
    }

    /** A readable name. */
    public static String name(int state) {
        if (state < MIDSTREAM) {
            return PAIRS[state >> 1] + ((state & 1) == 0 ? "-lower" : "-upper");
        }
        return SINGLES[state - MIDSTREAM];
    }
}
