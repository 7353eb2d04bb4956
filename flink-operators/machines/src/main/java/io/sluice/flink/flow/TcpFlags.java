/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import org.apache.flink.annotation.Experimental;
import org.apache.flink.annotation.Internal;

/**
 * The flags byte of a TCP header (RFC 9293, section 3.1), and what a segment with them is to the
 * state of its connection. Pure functions.
 *
 * <p>A segment is of one kind. If flags do not belong together, RST wins over FIN and FIN over SYN,
 * so that no FIN and no RST is ever overlooked.
 */
@Experimental
public final class TcpFlags {

    public static final int FIN = 1;
    public static final int SYN = 1 << 1;
    public static final int RST = 1 << 2;
    public static final int PSH = 1 << 3;
    public static final int ACK = 1 << 4;
    public static final int URG = 1 << 5;

    /** The flags of RFC 793; the congestion-control flags say nothing about the connection. */
    private static final int CLASSIC = FIN | SYN | RST | PSH | ACK | URG;

    /** Kinds of segments, small numbers from 0. */
    static final int KIND_OTHER = 0;

    static final int KIND_SYN = 1;
    static final int KIND_SYN_ACK = 2;
    static final int KIND_FIN = 3;
    static final int KIND_RST = 4;
    static final int KIND_FIN_RST = 5;
    static final int KINDS = 6;

    private static final String[] NAMES = {"other", "syn", "syn-ack", "fin", "rst", "fin-rst"};

    /** Index: the flags byte. */
    private static final byte[] KIND = new byte[256];

    private static final boolean[] ILLEGAL = new boolean[256];

    static {
        for (int flags = 0; flags < KIND.length; flags++) {
            KIND[flags] = (byte) classify(flags);
            ILLEGAL[flags] = contradicts(flags);
        }
    }

    private TcpFlags() {}

    /** The kind of a segment with these flags; only the low 8 bits count. */
    static int kind(int flags) {
        return KIND[flags & 0xff];
    }

    /**
     * Returns the event that a segment is: its kind and its sender.
     *
     * @param fromLower whether the lower of the two endpoints sent it
     * @param flags only the low 8 bits count
     */
    @Internal
    public static int event(boolean fromLower, int flags) {
        return kind(flags) << 1 | (fromLower ? 0 : 1);
    }

    /**
     * Returns the name of the kind that a segment with these flags is: {@code syn}, {@code
     * syn-ack}, {@code fin}, {@code rst}, {@code fin-rst} or {@code other}.
     *
     * @param flags only the low 8 bits count
     */
    @Internal
    public static String kindName(int flags) {
        return NAMES[kind(flags)];
    }

    /** Returns a readable name of an event. */
    static String event(int event) {
        return NAMES[event >> 1] + ((event & 1) == 0 ? "-lower" : "-upper");
    }

    /**
     * Whether these flags are a combination that no conforming sender uses: SYN with FIN or RST,
     * FIN with RST, none at all ("null"), or FIN without ACK (alone, or with PSH and URG as in the
     * "xmas" scan; RFC 9293, section 3.10.7.4, drops a segment of a connection that has no ACK).
     * Only the low 8 bits count.
     */
    public static boolean isIllegal(int flags) {
        return ILLEGAL[flags & 0xff];
    }

    private static int classify(int flags) {
        if ((flags & RST) != 0) {
            return (flags & FIN) != 0 ? KIND_FIN_RST : KIND_RST;
        }
        if ((flags & FIN) != 0) {
            return KIND_FIN;
        }
        if ((flags & SYN) != 0) {
            return (flags & ACK) != 0 ? KIND_SYN_ACK : KIND_SYN;
        }
        return KIND_OTHER;
    }

    private static boolean contradicts(int flags) {
        boolean fin = (flags & FIN) != 0;
        int begins = flags & (SYN | RST);
        return (flags & CLASSIC) == 0
                || begins == (SYN | RST)
                || (fin && begins != 0)
                || (fin && (flags & ACK) == 0);
    }
}
