/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.record;

import io.sluice.capture.IpAddresses;
import io.sluice.capture.Packet;
import io.sluice.capture.traffic.SplitMix64;
import java.util.Objects;
import org.apache.flink.api.common.typeinfo.TypeInfo;

/**
 * One operation: the header of one captured IP packet and the id under which it is to be counted
 * once.
 *
 * <p>Mutable, so that replaying and decoding allocate nothing per record; use {@link #copyOf} to
 * keep one beyond the next call. Not thread-safe. Addresses are held as two longs in network order;
 * an IPv4 address is the low 32 bits of the low long, the rest is zero.
 */
@TypeInfo(PacketRecordTypeInfoFactory.class)
public final class PacketRecord {
    /** Set in {@link #status}: a fragment that is not the first one, so without ports. */
    public static final int LATER_FRAGMENT = 1;

    /** Set in {@link #status}: the capture holds fewer bytes than were on the wire. */
    public static final int TRUNCATED = 1 << 1;

    /** Set in {@link #status}: the ports are known. */
    public static final int HAS_PORTS = 1 << 2;

    /** Set in {@link #status}: the TCP flags are known. */
    public static final int HAS_TCP_FLAGS = 1 << 3;

    /** All bits that {@link #status} may have. */
    static final int STATUS_MASK = LATER_FRAGMENT | TRUNCATED | HAS_PORTS | HAS_TCP_FLAGS;

    /** The largest number of a VLAN. */
    static final int MAX_VLAN = (1 << 12) - 1;

    long operationId;
    long timestampNanos;
    long sourceHigh;
    long sourceLow;
    long destinationHigh;
    long destinationLow;
    int wireLength;
    int sourcePort;
    int destinationPort;
    int ipVersion = 4;
    int protocol;
    int tcpFlags;
    int status;
    int vlan;
    int innerVlan;

    /** An IPv4 operation with every field zero. */
    public PacketRecord() {}

    /** A record that belongs to no flow and only advances event time: protocol 0, no addresses. */
    public static PacketRecord marker(long timestampNanos) {
        PacketRecord marker = new PacketRecord();
        marker.timestampNanos = timestampNanos;
        return marker;
    }

    /** A new record equal to {@code other}. */
    public static PacketRecord copyOf(PacketRecord other) {
        return new PacketRecord().set(other);
    }

    /**
     * Takes the header fields of {@code packet} under {@code operationId}.
     *
     * @throws IllegalArgumentException if the packet is not IP, and so is not an operation
     */
    public PacketRecord set(long operationId, Packet packet) {
        if (!packet.isIp()) {
            throw new IllegalArgumentException(
                    "packet " + packet.index() + " is not IP: skip it before making an operation");
        }
        this.operationId = operationId;
        timestampNanos = packet.timestampNanos();
        sourceHigh = packet.sourceHigh();
        sourceLow = packet.sourceLow();
        destinationHigh = packet.destinationHigh();
        destinationLow = packet.destinationLow();
        wireLength = packet.wireLength();
        sourcePort = packet.sourcePort();
        destinationPort = packet.destinationPort();
        ipVersion = packet.ipVersion();
        protocol = packet.protocol();
        tcpFlags = packet.tcpFlags();
        vlan = packet.vlan();
        innerVlan = packet.innerVlan();
        status =
                (packet.isLaterFragment() ? LATER_FRAGMENT : 0)
                        | (packet.isTruncated() ? TRUNCATED : 0)
                        | (packet.hasPorts() ? HAS_PORTS : 0)
                        | (packet.hasTcpFlags() ? HAS_TCP_FLAGS : 0);
        return this;
    }

    /** Becomes equal to {@code other}. */
    public PacketRecord set(PacketRecord other) {
        operationId = other.operationId;
        timestampNanos = other.timestampNanos;
        sourceHigh = other.sourceHigh;
        sourceLow = other.sourceLow;
        destinationHigh = other.destinationHigh;
        destinationLow = other.destinationLow;
        wireLength = other.wireLength;
        sourcePort = other.sourcePort;
        destinationPort = other.destinationPort;
        ipVersion = other.ipVersion;
        protocol = other.protocol;
        tcpFlags = other.tcpFlags;
        status = other.status;
        vlan = other.vlan;
        innerVlan = other.innerVlan;
        return this;
    }

    /** Shifts the capture time, as a looping replay does for every round except the first. */
    public void shiftTime(long deltaNanos) {
        timestampNanos += deltaNanos;
    }

    /** Unique per packet of a replay, and the same for each retry of it. */
    public long operationId() {
        return operationId;
    }

    /** When the packet was captured, in nanoseconds since 1970; the same for each retry. */
    public long timestampNanos() {
        return timestampNanos;
    }

    /** When the packet was captured, in whole milliseconds since 1970. */
    public long timestampMillis() {
        return Math.floorDiv(timestampNanos, 1_000_000L);
    }

    /** 4 or 6. */
    public int ipVersion() {
        return ipVersion;
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

    /** IANA number of what IP carries, extension headers skipped: 6 TCP, 17 UDP. In [0, 255]. */
    public int protocol() {
        return protocol;
    }

    /** In [0, 65535]; 0 if unknown. */
    public int sourcePort() {
        return sourcePort;
    }

    /** In [0, 65535]; 0 if unknown. */
    public int destinationPort() {
        return destinationPort;
    }

    /** The flags byte of the TCP header (FIN 1, SYN 2, RST 4, ..., CWR 128); 0 if unknown. */
    public int tcpFlags() {
        return tcpFlags;
    }

    /** Bytes on the wire, link layer included; never negative. */
    public int wireLength() {
        return wireLength;
    }

    /** A union of {@link #LATER_FRAGMENT} and the bits next to it. */
    public int status() {
        return status;
    }

    /** The outermost VLAN, in [1, 4095]; 0 if there is none. */
    public int vlan() {
        return vlan;
    }

    /** The innermost VLAN, if there is more than one, in [1, 4095]; otherwise 0. */
    public int innerVlan() {
        return innerVlan;
    }

    /**
     * A hash of the flow (addresses, ports, protocol) that does not depend on the direction, so
     * that both directions of a conversation land in one partition. Later fragments have no ports,
     * and so form their own flow.
     */
    public long flowHash() {
        return undirected(sourceEndpoint(), destinationEndpoint());
    }

    /** Like {@link #flowHash}, but only of addresses and protocol. */
    public long pairHash() {
        return undirected(sourceHost(), destinationHost());
    }

    private long undirected(long source, long destination) {
        long low = Math.min(source, destination);
        long high = Math.max(source, destination);
        return SplitMix64.mix(SplitMix64.mix(low + protocol) ^ high);
    }

    long sourceEndpoint() {
        return endpoint(sourceHigh, sourceLow, sourcePort);
    }

    long destinationEndpoint() {
        return endpoint(destinationHigh, destinationLow, destinationPort);
    }

    long sourceHost() {
        return endpoint(sourceHigh, sourceLow, 0);
    }

    long destinationHost() {
        return endpoint(destinationHigh, destinationLow, 0);
    }

    private static long endpoint(long high, long low, int port) {
        return SplitMix64.mix(SplitMix64.mix(high ^ ((long) port << 48)) ^ low);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PacketRecord that
                && operationId == that.operationId
                && timestampNanos == that.timestampNanos
                && sourceHigh == that.sourceHigh
                && sourceLow == that.sourceLow
                && destinationHigh == that.destinationHigh
                && destinationLow == that.destinationLow
                && wireLength == that.wireLength
                && sourcePort == that.sourcePort
                && destinationPort == that.destinationPort
                && ipVersion == that.ipVersion
                && protocol == that.protocol
                && tcpFlags == that.tcpFlags
                && status == that.status
                && vlan == that.vlan
                && innerVlan == that.innerVlan;
    }

    @Override
    public int hashCode() {
        return Objects.hash(operationId, timestampNanos, sourceLow, destinationLow);
    }

    @Override
    public String toString() {
        return "operation "
                + operationId
                + " at "
                + timestampNanos
                + " ns, "
                + IpAddresses.format(ipVersion, sourceHigh, sourceLow)
                + " port "
                + sourcePort
                + " to "
                + IpAddresses.format(ipVersion, destinationHigh, destinationLow)
                + " port "
                + destinationPort
                + ", protocol "
                + protocol
                + ", flags "
                + tcpFlags
                + ", "
                + wireLength
                + " bytes, status "
                + status
                + ", VLAN "
                + vlan
                + ", inner VLAN "
                + innerVlan;
    }
}
