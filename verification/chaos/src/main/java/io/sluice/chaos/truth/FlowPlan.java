/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.truth;

import java.util.List;

/** How a flow goes, and what Zeek calls it. */
public enum FlowPlan {
    /** Handshake, data, and a FIN of both sides. */
    CLOSED(
            443,
            "SF",
            sent(Flags.SYN),
            reply(Flags.SYN | Flags.ACK),
            sent(Flags.ACK),
            sent(Flags.ACK),
            reply(Flags.ACK),
            sent(Flags.FIN | Flags.ACK),
            reply(Flags.FIN | Flags.ACK),
            sent(Flags.ACK)),

    /** The responder refuses. */
    REFUSED(80, "REJ", sent(Flags.SYN), reply(Flags.RST | Flags.ACK)),

    /** The originator gives up an open connection. */
    RESET(
            22,
            "RSTO",
            sent(Flags.SYN),
            reply(Flags.SYN | Flags.ACK),
            sent(Flags.ACK),
            sent(Flags.RST)),

    /** Nobody answers, so the flow times out. */
    UNANSWERED(81, "S0", sent(Flags.SYN));

    /** The bits of the TCP header. */
    private static final class Flags {
        static final int FIN = 1;
        static final int SYN = 2;
        static final int RST = 4;
        static final int ACK = 16;
    }

    private final int port;
    private final String state;
    private final List<Packet> packets;

    FlowPlan(int port, String state, Packet... packets) {
        this.port = port;
        this.state = state;
        this.packets = List.of(packets);
    }

    /** A packet of a flow. */
    record Packet(int flags, boolean isReply) {}

    private static Packet sent(int flags) {
        return new Packet(flags, false);
    }

    private static Packet reply(int flags) {
        return new Packet(flags, true);
    }

    static FlowPlan any(double random) {
        return random < 0.7 ? CLOSED : random < 0.85 ? REFUSED : random < 0.95 ? RESET : UNANSWERED;
    }

    /** The plan of flows to a port of the responder; null if there is none. */
    public static FlowPlan ofPort(int port) {
        for (FlowPlan plan : values()) {
            if (plan.port == port) {
                return plan;
            }
        }
        return null;
    }

    /** Its packets, in order. */
    List<Packet> packets() {
        return packets;
    }

    /** How many packets there are. */
    public int length() {
        return packets.size();
    }

    /** The port of the responder. */
    int port() {
        return port;
    }

    /** As the job has to report it. */
    public String state() {
        return state;
    }
}
