/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.packet;

import io.sluice.flink.flow.Address;
import io.sluice.flink.flow.Endpoints;
import io.sluice.flink.runtime.OpaqueTypeInfo;
import io.sluice.record.FlowKey;
import io.sluice.record.FlowKind;
import io.sluice.record.PacketRecord;
import java.util.Objects;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/**
 * A packet, reduced to what following its flow needs: the flow, and of a TCP segment also its
 * flags, its ends, its VLANs, its bytes and the side that sent it.
 *
 * <p>Mutable, so that the job can use one instance for all segments; copy it to keep it beyond the
 * next record. Not thread-safe.
 */
public final class TcpSegment {
    static final TypeInformation<TcpSegment> TYPE =
            new OpaqueTypeInfo<>(TcpSegment.class, TcpSegmentSerializer.INSTANCE);

    private static final int FLAGS = 0xff;
    private static final int FROM_LOWER = 1 << 8;
    private static final int IS_TCP = 1 << 9;
    private static final int IS_IPV6 = 1 << 10;

    private long flow;

    /** The flags, and bits beside them; 0 if it is not TCP, and then it has no ends. */
    private int bits;

    private long sourceHigh;
    private long sourceLow;
    private long destinationHigh;
    private long destinationLow;

    /** The sender's in the high 16 bits, the receiver's in the low ones. */
    private int ports;

    /** The outer one in the high 16 bits, the inner one in the low ones; 0 for none. */
    private int vlans;

    private int bytes;

    /** Copies the fields of {@code packet} that a flow with this key needs. */
    TcpSegment set(FlowKey key, PacketRecord packet) {
        boolean isTcp = FlowKind.isSegment(packet);
        int newBits =
                isTcp
                        ? packet.tcpFlags()
                                | (key.isFromLower(packet) ? FROM_LOWER : 0)
                                | (packet.ipVersion() == 6 ? IS_IPV6 : 0)
                                | IS_TCP
                        : 0;
        set(key.flowOf(packet), newBits);
        setVlans(packet.vlan() << Short.SIZE | packet.innerVlan());
        setBytes(packet.wireLength());
        return setEnds(
                packet.sourceHigh(),
                packet.sourceLow(),
                packet.destinationHigh(),
                packet.destinationLow(),
                packet.sourcePort() << Short.SIZE | packet.destinationPort());
    }

    TcpSegment set(long newFlow, int newBits) {
        flow = newFlow;
        bits = newBits;
        return this;
    }

    TcpSegment setEnds(
            long newSourceHigh,
            long newSourceLow,
            long newDestinationHigh,
            long newDestinationLow,
            int newPorts) {
        sourceHigh = newSourceHigh;
        sourceLow = newSourceLow;
        destinationHigh = newDestinationHigh;
        destinationLow = newDestinationLow;
        ports = newPorts;
        return this;
    }

    TcpSegment setVlans(int newVlans) {
        vlans = newVlans;
        return this;
    }

    TcpSegment setBytes(int newBytes) {
        bytes = newBytes;
        return this;
    }

    TcpSegment set(TcpSegment other) {
        set(other.flow, other.bits);
        setVlans(other.vlans);
        setBytes(other.bytes);
        return setEnds(
                other.sourceHigh,
                other.sourceLow,
                other.destinationHigh,
                other.destinationLow,
                other.ports);
    }

    /** The flow that the packet belongs to. */
    public long flow() {
        return flow;
    }

    /** Whether it is TCP; if not, only the flow is known. */
    public boolean isTcp() {
        return (bits & IS_TCP) != 0;
    }

    /** Whether the lower of the flow's ends sent it. */
    public boolean fromLower() {
        return (bits & FROM_LOWER) != 0;
    }

    /** The flags byte of the TCP header. */
    public int flags() {
        return bits & FLAGS;
    }

    /** Whether the addresses are IPv6; otherwise they are IPv4. */
    boolean isIpv6() {
        return (bits & IS_IPV6) != 0;
    }

    /** Bytes on the wire, link layer included. */
    public int bytes() {
        return bytes;
    }

    /** Sender and receiver, and the VLANs between them. */
    public Endpoints endpoints() {
        return new Endpoints(
                address(sourceHigh, sourceLow),
                ports >>> Short.SIZE,
                address(destinationHigh, destinationLow),
                ports & 0xffff,
                vlans >>> Short.SIZE,
                vlans & 0xffff);
    }

    /** Both ends of its connection in text, in the same order for both directions. */
    public String connection() {
        Endpoints ends = fromLower() ? endpoints() : endpoints().reversed();
        return end(ends.from(), ends.fromPort()) + ' ' + end(ends.to(), ends.toPort());
    }

    private static String end(Address address, int port) {
        return address.isIpv4() ? address + ":" + port : "[" + address + "]:" + port;
    }

    private Address address(long high, long low) {
        return isIpv6() ? new Address(high, low) : Address.ofIpv4((int) low);
    }

    /** Flags and more; fits into 16 bits. */
    int bits() {
        return bits;
    }

    long sourceHigh() {
        return sourceHigh;
    }

    long sourceLow() {
        return sourceLow;
    }

    long destinationHigh() {
        return destinationHigh;
    }

    long destinationLow() {
        return destinationLow;
    }

    int ports() {
        return ports;
    }

    int vlans() {
        return vlans;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TcpSegment that
                && flow == that.flow
                && bits == that.bits
                && (!isTcp() || hasEndsOf(that));
    }

    private boolean hasEndsOf(TcpSegment that) {
        return sourceHigh == that.sourceHigh
                && sourceLow == that.sourceLow
                && destinationHigh == that.destinationHigh
                && destinationLow == that.destinationLow
                && ports == that.ports
                && vlans == that.vlans
                && bytes == that.bytes;
    }

    @Override
    public int hashCode() {
        return Objects.hash(flow, bits);
    }

    @Override
    public String toString() {
        return isTcp()
                ? "segment of flow " + flow + " with flags " + flags() + ", " + endpoints()
                : "packet of flow " + flow;
    }
}
