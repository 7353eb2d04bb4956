/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

/**
 * One packet of a capture: a view into the reader's buffer, overwritten by its next packet. A field
 * that was not found in the captured bytes reads as 0; {@link #kind}, {@link #hasPorts} and {@link
 * #hasTcpFlags} distinguish this from a real 0.
 *
 * <p>For a tunnel the outermost IP header counts, unless the reader was asked to look inside.
 */
public final class Packet {
    /** Protocol number of TCP. */
    public static final int TCP = 6;

    /** Protocol number of UDP. */
    public static final int UDP = 17;

    /** TCP flag: no more data from this side. */
    public static final int FIN = 1;

    /** TCP flag: open the connection. */
    public static final int SYN = 1 << 1;

    /** TCP flag: abort the connection. */
    public static final int RST = 1 << 2;

    /** TCP flag: hand the data over now. */
    public static final int PSH = 1 << 3;

    /** TCP flag: the acknowledgement number is valid. */
    public static final int ACK = 1 << 4;

    byte[] bytes = new byte[0];
    int offset;
    int capturedLength;
    int wireLength;
    int linkType;
    long index;
    long timestampNanos;

    /** Whether to look for the innermost header. Keeps its value from packet to packet. */
    boolean followTunnels;

    PacketKind kind = PacketKind.LINK_CUT;
    int ipVersion;
    int tunnels;
    int protocol;
    int tags;
    int vlan;
    int innerVlan;
    int sourcePort;
    int destinationPort;
    int tcpFlags;
    long sourceHigh;
    long sourceLow;
    long destinationHigh;
    long destinationLow;
    boolean isLaterFragment;
    boolean hasPorts;
    boolean hasTcpFlags;

    Packet() {}

    /** Forgets the headers of the previous packet. */
    void clearHeaders() {
        kind = PacketKind.LINK_CUT;
        ipVersion = 0;
        tunnels = 0;
        protocol = 0;
        tags = 0;
        vlan = 0;
        innerVlan = 0;
        sourcePort = 0;
        destinationPort = 0;
        tcpFlags = 0;
        sourceHigh = 0;
        sourceLow = 0;
        destinationHigh = 0;
        destinationLow = 0;
        isLaterFragment = false;
        hasPorts = false;
        hasTcpFlags = false;
    }

    /** Takes the next VLAN on the way to the IP header. */
    void addVlan(int id) {
        if (vlan == 0) {
            vlan = id;
        } else if (id != 0) {
            innerVlan = id;
        }
    }

    /** Position in the file, from 0. */
    public long index() {
        return index;
    }

    /** Capture time in nanoseconds since 1970, whatever the file's own resolution. */
    public long timestampNanos() {
        return timestampNanos;
    }

    /** Bytes that were on the wire, link layer included. */
    public int wireLength() {
        return wireLength;
    }

    /** Bytes that the capture holds; fewer than on the wire if it was made with a snap length. */
    public int capturedLength() {
        return capturedLength;
    }

    /** Whether bytes at the end of the packet were not captured. */
    public boolean isTruncated() {
        return capturedLength < wireLength;
    }

    /** The captured byte at {@code position} in [0, capturedLength), unsigned. */
    public int byteAt(int position) {
        if (position < 0 || position >= capturedLength) {
            throw new IndexOutOfBoundsException(
                    "byte " + position + " of a packet of " + capturedLength + " captured bytes");
        }
        return bytes[offset + position] & 0xFF;
    }

    /** The registered number of the link layer's header type. */
    public int linkType() {
        return linkType;
    }

    /** VLAN and MAC-in-MAC tags and MPLS labels before the IP header. */
    public int tags() {
        return tags;
    }

    /**
     * The outermost VLAN (IEEE 802.1Q) around the IP header, in [1, 4095]; 0 if there is none. A
     * tag that has only a priority does not name a VLAN.
     */
    public int vlan() {
        return vlan;
    }

    /** The innermost VLAN, if there is more than one (QinQ), in [1, 4095]; otherwise 0. */
    public int innerVlan() {
        return innerVlan;
    }

    /** How much of the packet could be read. */
    public PacketKind kind() {
        return kind;
    }

    /** Tunnels around the IP header; 0 unless the reader was asked to look inside. */
    public int tunnels() {
        return tunnels;
    }

    /** Whether there is an IP header with both addresses. */
    public boolean isIp() {
        return ipVersion != 0;
    }

    /** 4 or 6; 0 if not {@link #isIp}. */
    public int ipVersion() {
        return ipVersion;
    }

    /** What IP carries, extension headers skipped. In [0, 255]. */
    public int protocol() {
        return protocol;
    }

    /** Whether this is a fragment, not the first of its datagram, and so without ports. */
    public boolean isLaterFragment() {
        return isLaterFragment;
    }

    /** Whether both ports were captured. */
    public boolean hasPorts() {
        return hasPorts;
    }

    /** In [0, 65535]. */
    public int sourcePort() {
        return sourcePort;
    }

    /** In [0, 65535]. */
    public int destinationPort() {
        return destinationPort;
    }

    /** Whether this is TCP and its flags were captured. */
    public boolean hasTcpFlags() {
        return hasTcpFlags;
    }

    /** A union of {@link #FIN}, {@link #SYN} and so on, up to CWR (128). */
    public int tcpFlags() {
        return tcpFlags;
    }

    /** High 64 bits of the source address; 0 for IPv4. */
    public long sourceHigh() {
        return sourceHigh;
    }

    /** Low 64 bits of the source address; for IPv4 the address, unsigned. */
    public long sourceLow() {
        return sourceLow;
    }

    /** High 64 bits of the destination address; 0 for IPv4. */
    public long destinationHigh() {
        return destinationHigh;
    }

    /** Low 64 bits of the destination address; for IPv4 the address, unsigned. */
    public long destinationLow() {
        return destinationLow;
    }
}
