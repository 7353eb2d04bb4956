/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

/**
 * Finds the IP header behind the link-layer header: Ethernet (II, or 802.3 with LLC and SNAP) with
 * VLAN, QinQ, MAC-in-MAC, MPLS and PPPoE, the BSD null and loop headers, Linux cooked captures of
 * both versions, PPP and Cisco HDLC, OpenBSD's encapsulated IPsec, Linux netfilter logs, and raw
 * IP, which has none.
 */
final class LinkDecoder {
    static final int ETHERTYPE_IPV4 = 0x0800;
    static final int ETHERTYPE_IPV6 = 0x86DD;
    private static final int ETHERTYPE_VLAN = 0x8100;
    private static final int ETHERTYPE_QINQ = 0x88A8;
    private static final int ETHERTYPE_QINQ_OLD_1 = 0x9100;
    private static final int ETHERTYPE_QINQ_OLD_2 = 0x9200;
    private static final int ETHERTYPE_MAC_IN_MAC = 0x88E7;
    private static final int ETHERTYPE_MPLS = 0x8847;
    private static final int ETHERTYPE_MPLS_UPSTREAM = 0x8848;
    private static final int ETHERTYPE_PPPOE = 0x8864;

    /** Smaller values of the type field are the length of an 802.3 frame. */
    private static final int FIRST_ETHERTYPE = 0x600;

    /** The value that Linux cooked captures use for 802.3 frames instead. */
    private static final int COOKED_LLC = 4;

    private static final int PPP_IPV4 = 0x0021;
    private static final int PPP_IPV6 = 0x0057;
    private static final int PPP_MPLS = 0x0281;

    private static final int ETHERNET_BYTES = 14;
    private static final int NULL_BYTES = 4;
    private static final int ENC_BYTES = 12;
    private static final int NFLOG_BYTES = 4;
    private static final int NFLOG_FIELD_BYTES = 4;
    private static final int NFLOG_PAYLOAD = 9;
    private static final int SLL_BYTES = 16;
    private static final int SLL2_BYTES = 20;
    private static final int TAG_BYTES = 4;

    /** The upper four bits of a VLAN tag are priorities. */
    private static final int VLAN_ID = 0xFFF;

    private static final int MPLS_BOTTOM_OF_STACK = 1 << 8;
    private static final int PPPOE_BYTES = 6;
    private static final int HDLC_BYTES = 4;
    private static final int SNAP_BYTES = 8;

    /** LLC's two access points of SNAP, its control byte and the empty organisation code. */
    private static final long SNAP = 0xAAAA_0300_0000L;

    /** The tag of MAC-in-MAC and the two addresses of the frame inside. */
    private static final int MAC_IN_MAC_BYTES = 16;

    private LinkDecoder() {}

    /** Fills in the header fields of {@code packet} from its bytes, and its kind. */
    static void decode(Packet packet) {
        packet.clearHeaders();
        int at = packet.offset;
        int end = at + packet.capturedLength;
        switch (packet.linkType) {
            case LinkType.ETHERNET -> decodeEthernet(packet, at, end);
            case LinkType.RAW_12, LinkType.RAW_14, LinkType.RAW, LinkType.IPV4, LinkType.IPV6 ->
                    IpDecoder.decode(packet, at, end);
            // The address family is in the byte order of the capturing host, and its number for
            // IPv6 differs between systems; the IP header itself states its version.
            case LinkType.NULL, LinkType.LOOP -> decodeUnnamed(packet, at + NULL_BYTES, end);
            case LinkType.ENC -> decodeUnnamed(packet, at + ENC_BYTES, end);
            case LinkType.NFLOG -> decodeNetfilter(packet, at + NFLOG_BYTES, end);
            case LinkType.LINUX_SLL -> {
                if (end - at >= SLL_BYTES) {
                    decodeCooked(packet, Octets.u16(packet.bytes, at + 14), at + SLL_BYTES, end);
                }
            }
            case LinkType.LINUX_SLL2 -> {
                if (end - at >= SLL2_BYTES) {
                    decodeCooked(packet, Octets.u16(packet.bytes, at), at + SLL2_BYTES, end);
                }
            }
            case LinkType.PPP, LinkType.PPP_HDLC, LinkType.CISCO_HDLC ->
                    decodeSerial(packet, at, end);
            case LinkType.PPP_ETHERNET -> decodePppProtocol(packet, at + PPPOE_BYTES, end);
            default -> packet.kind = PacketKind.UNKNOWN_LINK;
        }
    }

    static void decodeEthernet(Packet packet, int at, int end) {
        if (end - at >= ETHERNET_BYTES) {
            decodeEtherType(packet, Octets.u16(packet.bytes, at + 12), at + ETHERNET_BYTES, end);
        }
    }

    /**
     * Decodes fields of length, type and value, of which one is the packet. Lengths and types are
     * in the byte order of the capturing host, which is not known; but the first field is never of
     * a type above 255, so one of the two bytes of its type is 0.
     */
    private static void decodeNetfilter(Packet packet, int from, int end) {
        int at = from;
        while (at + NFLOG_FIELD_BYTES <= end) {
            boolean littleEndian = packet.bytes[from + 2] != 0;
            int length = u16(packet, at, littleEndian);
            if (length < NFLOG_FIELD_BYTES) {
                packet.kind = PacketKind.NOT_IP;
                return;
            }
            if (u16(packet, at + 2, littleEndian) == NFLOG_PAYLOAD) {
                decodeUnnamed(packet, at + NFLOG_FIELD_BYTES, Math.min(end, at + length));
                return;
            }
            // Values are padded to a multiple of 4 bytes.
            at += (length + 3) & ~3;
        }
    }

    private static int u16(Packet packet, int at, boolean littleEndian) {
        int value = Octets.u16(packet.bytes, at);
        return littleEndian ? (value & 0xFF) << 8 | value >>> 8 : value;
    }

    private static void decodeCooked(Packet packet, int type, int at, int end) {
        if (type == COOKED_LLC) {
            decodeLlc(packet, at, end);
        } else {
            decodeEtherType(packet, type, at, end);
        }
    }

    static void decodeEtherType(Packet packet, int firstType, int from, int end) {
        int type = firstType;
        int at = from;
        while (true) {
            if (isVlan(type)) {
                if (at + TAG_BYTES > end) {
                    return;
                }
                packet.addVlan(Octets.u16(packet.bytes, at) & VLAN_ID);
                type = Octets.u16(packet.bytes, at + 2);
                at += TAG_BYTES;
            } else if (type == ETHERTYPE_MAC_IN_MAC) {
                if (at + MAC_IN_MAC_BYTES + 2 > end) {
                    return;
                }
                type = Octets.u16(packet.bytes, at + MAC_IN_MAC_BYTES);
                at += MAC_IN_MAC_BYTES + 2;
            } else {
                break;
            }
            packet.tags++;
        }
        switch (type) {
            case ETHERTYPE_IPV4, ETHERTYPE_IPV6 -> IpDecoder.decode(packet, at, end);
            case ETHERTYPE_MPLS, ETHERTYPE_MPLS_UPSTREAM -> decodeMpls(packet, at, end);
            case ETHERTYPE_PPPOE -> decodePppProtocol(packet, at + PPPOE_BYTES, end);
            default -> {
                if (type < FIRST_ETHERTYPE) {
                    decodeLlc(packet, at, end);
                } else {
                    packet.kind = PacketKind.NOT_IP;
                }
            }
        }
    }

    private static boolean isVlan(int type) {
        return type == ETHERTYPE_VLAN
                || type == ETHERTYPE_QINQ
                || type == ETHERTYPE_QINQ_OLD_1
                || type == ETHERTYPE_QINQ_OLD_2;
    }

    private static void decodeLlc(Packet packet, int at, int end) {
        packet.kind = PacketKind.NOT_IP;
        if (at + SNAP_BYTES <= end && Octets.i64(packet.bytes, at) >>> 16 == SNAP) {
            int type = Octets.u16(packet.bytes, at + 6);
            // Only IP is looked for in here, so that no chain of headers is endless.
            if (type == ETHERTYPE_IPV4 || type == ETHERTYPE_IPV6) {
                IpDecoder.decode(packet, at + SNAP_BYTES, end);
            }
        }
    }

    /** Labels do not say what follows the last one: IP if it looks like IP (RFC 4928). */
    private static void decodeMpls(Packet packet, int from, int end) {
        int at = from;
        while (at + TAG_BYTES <= end) {
            int label = Octets.i32(packet.bytes, at);
            at += TAG_BYTES;
            packet.tags++;
            if ((label & MPLS_BOTTOM_OF_STACK) != 0) {
                decodeUnnamed(packet, at, end);
                return;
            }
        }
    }

    /** Decodes bytes that are not declared as IP. */
    private static void decodeUnnamed(Packet packet, int at, int end) {
        IpDecoder.decode(packet, at, end);
        if (packet.kind == PacketKind.BAD_IP) {
            packet.kind = PacketKind.NOT_IP;
        }
    }

    /**
     * A serial line: Cisco HDLC if its address byte says so, else PPP with or without an HDLC
     * header.
     */
    private static void decodeSerial(Packet packet, int at, int end) {
        if (end - at < HDLC_BYTES) {
            return;
        }
        int address = Octets.u8(packet.bytes, at);
        if (address == 0x0F || address == 0x8F) {
            decodeEtherType(packet, Octets.u16(packet.bytes, at + 2), at + HDLC_BYTES, end);
        } else {
            boolean hasAddress = address == 0xFF && Octets.u8(packet.bytes, at + 1) == 0x03;
            decodePppProtocol(packet, hasAddress ? at + 2 : at, end);
        }
    }

    static void decodePppProtocol(Packet packet, int at, int end) {
        if (at + 2 > end) {
            return;
        }
        switch (Octets.u16(packet.bytes, at)) {
            case PPP_IPV4, PPP_IPV6 -> IpDecoder.decode(packet, at + 2, end);
            case PPP_MPLS -> decodeMpls(packet, at + 2, end);
            default -> packet.kind = PacketKind.NOT_IP;
        }
    }
}
