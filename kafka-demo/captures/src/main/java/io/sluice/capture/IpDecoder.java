/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

/**
 * Finds addresses, protocol, ports and TCP flags, starting at an IP header (RFC 791, RFC 8200, RFC
 * 9293). Anything beyond the captured bytes, or beyond the length that IP itself states (an
 * Ethernet frame is padded to 60 bytes), counts as absent; nonsense gives a {@link PacketKind},
 * never an error.
 */
final class IpDecoder {
    private static final int IPV4_HEADER_BYTES = 20;
    private static final int IPV6_HEADER_BYTES = 40;
    private static final int PORT_BYTES = 4;
    private static final int TCP_FLAGS_OFFSET = 13;
    private static final int FRAGMENT_OFFSET_MASK = 0x1FFF;

    private static final int HOP_BY_HOP = 0;
    private static final int ROUTING = 43;
    private static final int FRAGMENT = 44;
    private static final int AUTHENTICATION = 51;
    private static final int DESTINATION_OPTIONS = 60;
    private static final int MOBILITY = 135;
    private static final int HOST_IDENTITY = 139;
    private static final int SHIM6 = 140;

    /**
     * The smallest extension header; only the authentication header may be an odd multiple of 4.
     */
    private static final int EXTENSION_BYTES = 8;

    private static final int DCCP = 33;
    private static final int SCTP = 132;
    private static final int UDP_LITE = 136;

    private IpDecoder() {}

    /** Decodes the header in [at, end), of the version that its first four bits say. */
    static void decode(Packet packet, int at, int end) {
        if (at >= end) {
            packet.kind = at == end ? PacketKind.IP_CUT : PacketKind.LINK_CUT;
            return;
        }
        int version = Octets.u8(packet.bytes, at) >>> 4;
        if (version == 4) {
            decodeIpv4(packet, at, end);
        } else if (version == 6) {
            decodeIpv6(packet, at, end);
        } else {
            packet.kind = PacketKind.BAD_IP;
        }
    }

    private static void decodeIpv4(Packet packet, int at, int end) {
        byte[] bytes = packet.bytes;
        int headerBytes = (Octets.u8(bytes, at) & 0xF) * 4;
        if (headerBytes < IPV4_HEADER_BYTES) {
            packet.kind = PacketKind.BAD_IP;
            return;
        }
        if (end - at < IPV4_HEADER_BYTES) {
            packet.kind = PacketKind.IP_CUT;
            return;
        }
        packet.ipVersion = 4;
        packet.protocol = Octets.u8(bytes, at + 9);
        packet.sourceHigh = 0;
        packet.sourceLow = Octets.i32(bytes, at + 12) & 0xFFFFFFFFL;
        packet.destinationHigh = 0;
        packet.destinationLow = Octets.i32(bytes, at + 16) & 0xFFFFFFFFL;
        packet.isLaterFragment = (Octets.u16(bytes, at + 6) & FRAGMENT_OFFSET_MASK) != 0;
        // Network cards that cut segments themselves leave a length of 0: it means unknown.
        int totalBytes = Octets.u16(bytes, at + 2);
        int limit = totalBytes == 0 ? end : Math.min(end, at + totalBytes);
        int position = at + headerBytes;
        if (packet.protocol == AUTHENTICATION
                && !packet.isLaterFragment
                && position + EXTENSION_BYTES <= limit) {
            packet.protocol = Octets.u8(bytes, position);
            position += (Octets.u8(bytes, position + 1) + 2) * 4;
        }
        decodeTransport(packet, position, limit);
    }

    private static void decodeIpv6(Packet packet, int at, int end) {
        byte[] bytes = packet.bytes;
        if (end - at < IPV6_HEADER_BYTES) {
            packet.kind = PacketKind.IP_CUT;
            return;
        }
        packet.ipVersion = 6;
        packet.sourceHigh = Octets.i64(bytes, at + 8);
        packet.sourceLow = Octets.i64(bytes, at + 16);
        packet.destinationHigh = Octets.i64(bytes, at + 24);
        packet.destinationLow = Octets.i64(bytes, at + 32);
        packet.isLaterFragment = false;
        // A length of 0 belongs to a jumbogram: its true length is in an option and above 65535.
        int payloadBytes = Octets.u16(bytes, at + 4);
        int limit = payloadBytes == 0 ? end : Math.min(end, at + IPV6_HEADER_BYTES + payloadBytes);
        int next = Octets.u8(bytes, at + 6);
        int position = at + IPV6_HEADER_BYTES;
        while (isExtension(next) && position + EXTENSION_BYTES <= limit) {
            int lengthField = Octets.u8(bytes, position + 1);
            int extension = next;
            next = Octets.u8(bytes, position);
            if (extension == FRAGMENT) {
                packet.isLaterFragment = Octets.u16(bytes, position + 2) >>> 3 != 0;
                position += EXTENSION_BYTES;
                if (packet.isLaterFragment) {
                    break;
                }
            } else if (extension == AUTHENTICATION) {
                position += (lengthField + 2) * 4;
            } else {
                position += (lengthField + 1) * 8;
            }
        }
        packet.protocol = next;
        decodeTransport(packet, position, limit);
    }

    private static boolean isExtension(int header) {
        return switch (header) {
            case HOP_BY_HOP,
                    ROUTING,
                    FRAGMENT,
                    AUTHENTICATION,
                    DESTINATION_OPTIONS,
                    MOBILITY,
                    HOST_IDENTITY,
                    SHIM6 ->
                    true;
            default -> false;
        };
    }

    private static void decodeTransport(Packet packet, int at, int limit) {
        packet.hasPorts = false;
        packet.sourcePort = 0;
        packet.destinationPort = 0;
        if (packet.isLaterFragment) {
            packet.kind = PacketKind.LATER_FRAGMENT;
            return;
        }
        packet.kind = PacketKind.WHOLE;
        switch (packet.protocol) {
            case Packet.TCP, Packet.UDP, DCCP, SCTP, UDP_LITE -> {
                if (at + PORT_BYTES > limit) {
                    packet.kind = PacketKind.TRANSPORT_CUT;
                    return;
                }
                packet.sourcePort = Octets.u16(packet.bytes, at);
                packet.destinationPort = Octets.u16(packet.bytes, at + 2);
                packet.hasPorts = true;
            }
            default -> {
                if (isExtension(packet.protocol)) {
                    packet.kind = PacketKind.TRANSPORT_CUT;
                }
            }
        }
        if (packet.protocol == Packet.TCP) {
            if (at + TCP_FLAGS_OFFSET < limit) {
                packet.tcpFlags = Octets.u8(packet.bytes, at + TCP_FLAGS_OFFSET);
                packet.hasTcpFlags = true;
            } else {
                packet.kind = PacketKind.TRANSPORT_CUT;
            }
        } else if (packet.followTunnels) {
            TunnelDecoder.decode(packet, at, limit);
        }
    }
}
