/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.util.Locale;

/**
 * How much of a packet could be read: everything that a flow needs, or why not. Each packet has
 * exactly one kind.
 */
public enum PacketKind {
    /** Everything that its protocol has: addresses, ports if there are any, and TCP flags. */
    WHOLE(0, true),

    /** A fragment that is not its datagram's first: addresses without ports. */
    LATER_FRAGMENT(1, true),

    /** Addresses, but ports or TCP flags were not captured, or lie beyond the length IP states. */
    TRANSPORT_CUT(2, true),

    /** An IP header begins, but is not completely captured. */
    IP_CUT(3, false),

    /** Declared as IP, but of no known version, or with a header that is too short. */
    BAD_IP(4, false),

    /** The link-layer header, or the tags and labels behind it, are not completely captured. */
    LINK_CUT(5, false),

    /** The link layer says that it carries something else: ARP, spanning tree and so on. */
    NOT_IP(6, false),

    /** The link-layer header type is not supported, such as that of wireless frames. */
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

    /** The name in files and output. */
    public String code() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Index of its count in an array of counts; not persisted. */
    int slot() {
        return slot;
    }

    /** {@link #values} without the copy. */
    static PacketKind[] all() {
        return ALL;
    }
}
