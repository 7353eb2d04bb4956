/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

/**
 * Finds the IP header behind the link layer's: Ethernet with VLAN, QinQ, MPLS and PPPoE, the BSD
 * null and loop headers, Linux cooked captures of both versions, PPP, and raw IP, which has none.
 * Frames of 802.3 with an LLC header, and Ethernet inside of Ethernet, carry no IP for us.
 */
final class LinkDecoder {
    private static final int ETHERTYPE_IPV4 = 0x0800;
    private static final int ETHERTYPE_IPV6 = 0x86DD;
    private static final int ETHERTYPE_VLAN = 0x8100;
    private static final int ETHERTYPE_QINQ = 0x88A8;
    private static final int ETHERTYPE_QINQ_OLD_1 = 0x9100;
    private static final int ETHERTYPE_QINQ_OLD_2 = 0x9200;
    private static final int ETHERTYPE_MPLS = 0x8847;
    private static final int ETHERTYPE_MPLS_UPSTREAM = 0x8848;
    private static final int ETHERTYPE_PPPOE = 0x8864;
    private static final int PPP_IPV4 = 0x0021;
    private static final int PPP_IPV6 = 0x0057;

    private static final int ETHERNET_BYTES = 14;
    private static final int NULL_BYTES = 4;
    private static final int SLL_BYTES = 16;
    private static final int SLL2_BYTES = 20;
    private static final int TAG_BYTES = 4;
    private static final int MPLS_BOTTOM_OF_STACK = 1 << 8;
    private static final int PPPOE_BYTES = 6;

    private LinkDecoder() {}

    /** Fills in the header fields of {@code packet} from its bytes. */
    static void decode(Packet packet) {
        packet.clearHeaders();
        int at = packet.offset;
        int end = at + packet.capturedLength;
        switch (packet.linkType) {
            case LinkType.ETHERNET -> decodeEthernet(packet, at, end);
            case LinkType.RAW_12, LinkType.RAW_14, LinkType.RAW, LinkType.IPV4, LinkType.IPV6 ->
                    IpDecoder.decode(packet, at, end);
            // The address family is in the byte order of the host that captured, and its number
            // for IPv6 differs between systems; the IP header says its version itself.
            case LinkType.NULL, LinkType.LOOP -> IpDecoder.decode(packet, at + NULL_BYTES, end);
            case LinkType.LINUX_SLL -> {
                if (end - at >= SLL_BYTES) {
                    decodeEtherType(packet, Octets.u16(packet.bytes, at + 14), at + SLL_BYTES, end);
                }
            }
            case LinkType.LINUX_SLL2 -> {
                if (end - at >= SLL2_BYTES) {
                    decodeEtherType(packet, Octets.u16(packet.bytes, at), at + SLL2_BYTES, end);
                }
            }
            case LinkType.PPP -> decodePpp(packet, at, end);
            default -> {
                // Seen only in a pcapng file that has readable interfaces too: not IP for us.
            }
        }
    }

    private static void decodeEthernet(Packet packet, int at, int end) {
        if (end - at >= ETHERNET_BYTES) {
            decodeEtherType(packet, Octets.u16(packet.bytes, at + 12), at + ETHERNET_BYTES, end);
        }
    }

    private static void decodeEtherType(Packet packet, int firstType, int from, int end) {
        int type = firstType;
        int at = from;
        while (isVlan(type) && at + TAG_BYTES <= end) {
            type = Octets.u16(packet.bytes, at + 2);
            at += TAG_BYTES;
            packet.tags++;
        }
        switch (type) {
            case ETHERTYPE_IPV4, ETHERTYPE_IPV6 -> IpDecoder.decode(packet, at, end);
            case ETHERTYPE_MPLS, ETHERTYPE_MPLS_UPSTREAM -> decodeMpls(packet, at, end);
            case ETHERTYPE_PPPOE -> decodePppProtocol(packet, at + PPPOE_BYTES, end);
            default -> {
                // ARP, LLC and the rest carry no IP.
            }
        }
    }

    private static boolean isVlan(int type) {
        return type == ETHERTYPE_VLAN
                || type == ETHERTYPE_QINQ
                || type == ETHERTYPE_QINQ_OLD_1
                || type == ETHERTYPE_QINQ_OLD_2;
    }

    /** Labels do not say what follows the last one: IP if it looks like IP (RFC 4928). */
    private static void decodeMpls(Packet packet, int from, int end) {
        int at = from;
        while (at + TAG_BYTES <= end) {
            int label = Octets.i32(packet.bytes, at);
            at += TAG_BYTES;
            packet.tags++;
            if ((label & MPLS_BOTTOM_OF_STACK) != 0) {
                IpDecoder.decode(packet, at, end);
                return;
            }
        }
    }

    /** PPP as captured on a serial line, with or without its address and control bytes. */
    private static void decodePpp(Packet packet, int at, int end) {
        boolean hasAddress =
                end - at >= 2
                        && Octets.u8(packet.bytes, at) == 0xFF
                        && Octets.u8(packet.bytes, at + 1) == 0x03;
        decodePppProtocol(packet, hasAddress ? at + 2 : at, end);
    }

    private static void decodePppProtocol(Packet packet, int at, int end) {
        if (at + 2 > end) {
            return;
        }
        int protocol = Octets.u16(packet.bytes, at);
        if (protocol == PPP_IPV4 || protocol == PPP_IPV6) {
            IpDecoder.decode(packet, at + 2, end);
        }
    }
}
