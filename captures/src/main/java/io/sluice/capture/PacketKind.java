/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.util.Locale;

/**
 * How much of a packet could be read: everything that a flow needs, or why not. Each packet is of
 * exactly one kind.
 */
public enum PacketKind {
    /** All that its protocol has: addresses, ports if there are any, and the flags of TCP. */
    WHOLE(0, true),

    /** A fragment that is not its datagram's first: addresses without ports. */
    LATER_FRAGMENT(1, true),

    /** Addresses, but ports or TCP flags were not captured, or lie beyond the length IP states. */
    TRANSPORT_CUT(2, true),

    /** An IP header begins, but is not captured to its end. */
    IP_CUT(3, false),

    /** Said to be IP, but of no known version, or with a header too short to be one. */
    BAD_IP(4, false),

    /** The link layer's header, or the tags and labels behind it, are not captured to their end. */
    LINK_CUT(5, false),

    /** The link layer says that it carries something else: ARP, spanning tree and so on. */
    NOT_IP(6, false),

    /** The link layer's header type is one that is not read, as that of wireless frames. */
    UNKNOWN_LINK(7, false);

    private static final PacketKind[] ALL = values();

    private final int slot;
    private final boolean ip;

    PacketKind(int slot, boolean ip) {
        this.slot = slot;
        this.ip = ip;
    }

    /** Whether both addresses are known. */
    public boolean isIp() {
        return ip;
    }

    /** The name as used in files and for people. */
    public String code() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Where its count is in an array of counts; not persisted. */
    int slot() {
        return slot;
    }

    /** {@link #values} without the copy. */
    static PacketKind[] all() {
        return ALL;
    }
}
