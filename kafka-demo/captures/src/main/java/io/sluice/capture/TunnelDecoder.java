/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

/**
 * Finds the IP header inside a tunnel: IP in IP (RFC 2003, 2473, 4213), GRE (RFC 2784, 2890;
 * version 1 for PPTP, RFC 2637, and for Ethernet over IP), VXLAN (RFC 7348), Geneve (RFC 8926) and
 * GTP-U (3GPP TS 29.281), the last three by their registered ports. If a packet contains no
 * readable IP, its outer header counts.
 */
final class TunnelDecoder {
    private static final int IPV4_IN_IP = 4;
    private static final int IPV6_IN_IP = 41;
    private static final int GRE = 47;
    private static final int VXLAN_PORT = 4789;
    private static final int GENEVE_PORT = 6081;
    private static final int GTP_PORT = 2152;

    private static final int UDP_BYTES = 8;
    private static final int VXLAN_BYTES = 8;
    private static final int GENEVE_BYTES = 8;
    private static final int GTP_BYTES = 8;
    private static final int GTP_OPTIONAL_BYTES = 4;
    private static final int GTP_VERSION_1 = 0x30;
    private static final int GTP_EXTENSION = 4;
    private static final int GTP_ANY_OPTIONAL = 7;
    private static final int GTP_USER_DATA = 255;

    private static final int GRE_CHECKSUM = 0x8000;
    private static final int GRE_ROUTING = 0x4000;
    private static final int GRE_KEY = 0x2000;
    private static final int GRE_SEQUENCE = 0x1000;
    private static final int GRE_ACKNOWLEDGEMENT = 0x0080;
    private static final int GRE_VERSION = 0x0007;
    private static final int PROTOCOL_ETHERNET = 0x6558;
    private static final int PROTOCOL_PPP = 0x880B;
    private static final int PROTOCOL_ETHERNET_OVER_IP = 0x6400;

    /** Deeper nesting is an attack or an accident. */
    private static final int MAX_DEPTH = 8;

    private TunnelDecoder() {}

    /** Decodes what is in the packet's transport, which is in [at, limit) and not TCP. */
    static void decode(Packet packet, int at, int limit) {
        if (packet.tunnels == MAX_DEPTH) {
            return;
        }
        PacketKind outside = packet.kind;
        int before = ++packet.tunnels;
        int vlan = packet.vlan;
        int innerVlan = packet.innerVlan;
        // Each readable inner IP header replaces the packet's fields, and sets its kind.
        packet.kind = PacketKind.NOT_IP;
        switch (packet.protocol) {
            case IPV4_IN_IP, IPV6_IN_IP -> IpDecoder.decode(packet, at, limit);
            case GRE -> decodeGre(packet, at, limit);
            case Packet.UDP -> {
                if (outside == PacketKind.WHOLE) {
                    decodeUdp(packet, at + UDP_BYTES, limit);
                }
            }
            default -> {
                // Carries no IP that this decoder can find.
            }
        }
        if (!packet.kind.isIp()) {
            packet.kind = outside;
            packet.tunnels = before - 1;
            packet.vlan = vlan;
            packet.innerVlan = innerVlan;
        }
    }

    private static void decodeUdp(Packet packet, int at, int limit) {
        switch (packet.destinationPort) {
            case VXLAN_PORT -> LinkDecoder.decodeEthernet(packet, at + VXLAN_BYTES, limit);
            case GENEVE_PORT -> {
                if (at + GENEVE_BYTES <= limit) {
                    int optionBytes = (Octets.u8(packet.bytes, at) & 0x3F) * 4;
                    int type = Octets.u16(packet.bytes, at + 2);
                    decodeProtocol(packet, type, at + GENEVE_BYTES + optionBytes, limit);
                }
            }
            default -> {
                if (packet.destinationPort == GTP_PORT || packet.sourcePort == GTP_PORT) {
                    decodeGtp(packet, at, limit);
                }
            }
        }
    }

    private static void decodeGtp(Packet packet, int from, int limit) {
        byte[] bytes = packet.bytes;
        if (from + GTP_BYTES + GTP_OPTIONAL_BYTES > limit) {
            return;
        }
        int flags = Octets.u8(bytes, from);
        if ((flags & 0xF0) != GTP_VERSION_1 || Octets.u8(bytes, from + 1) != GTP_USER_DATA) {
            return;
        }
        int at = from + GTP_BYTES;
        if ((flags & GTP_ANY_OPTIONAL) != 0) {
            at += GTP_OPTIONAL_BYTES;
            int next = (flags & GTP_EXTENSION) == 0 ? 0 : Octets.u8(bytes, at - 1);
            while (next != 0) {
                int extensionBytes = at < limit ? 4 * Octets.u8(bytes, at) : 0;
                if (extensionBytes == 0 || at + extensionBytes > limit) {
                    return;
                }
                at += extensionBytes;
                next = Octets.u8(bytes, at - 1);
            }
        }
        IpDecoder.decode(packet, at, limit);
    }

    private static void decodeGre(Packet packet, int at, int limit) {
        if (at + 4 > limit) {
            return;
        }
        int flags = Octets.u16(packet.bytes, at);
        int protocol = Octets.u16(packet.bytes, at + 2);
        if ((flags & GRE_ROUTING) != 0) {
            return;
        }
        int headerBytes =
                4
                        + ((flags & GRE_CHECKSUM) != 0 ? 4 : 0)
                        + ((flags & GRE_KEY) != 0 ? 4 : 0)
                        + ((flags & GRE_SEQUENCE) != 0 ? 4 : 0);
        if ((flags & GRE_VERSION) == 1) {
            int acknowledgement = (flags & GRE_ACKNOWLEDGEMENT) != 0 ? 4 : 0;
            if (protocol == PROTOCOL_PPP) {
                decodePpp(packet, at + headerBytes + acknowledgement, limit);
            } else if (protocol == PROTOCOL_ETHERNET_OVER_IP) {
                LinkDecoder.decodeEthernet(packet, at + headerBytes, limit);
            }
        } else if ((flags & GRE_VERSION) == 0) {
            decodeProtocol(packet, protocol, at + headerBytes, limit);
        }
    }

    /** PPP inside of PPTP may leave out its address bytes, and the zero that begins a protocol. */
    private static void decodePpp(Packet packet, int from, int limit) {
        int at = from;
        if (at + 2 <= limit && Octets.u16(packet.bytes, at) == 0xFF03) {
            at += 2;
        }
        if (at < limit && (Octets.u8(packet.bytes, at) & 1) != 0) {
            if (Octets.u8(packet.bytes, at) == 0x21 || Octets.u8(packet.bytes, at) == 0x57) {
                IpDecoder.decode(packet, at + 1, limit);
            }
        } else {
            LinkDecoder.decodePppProtocol(packet, at, limit);
        }
    }

    private static void decodeProtocol(Packet packet, int protocol, int at, int limit) {
        if (protocol == PROTOCOL_ETHERNET) {
            LinkDecoder.decodeEthernet(packet, at, limit);
        } else {
            LinkDecoder.decodeEtherType(packet, protocol, at, limit);
        }
    }
}
